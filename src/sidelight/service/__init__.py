"""The monitor over HTTP, with durable decisions and a review queue."""
