"""The monitor over HTTP: durable, shared and reviewable."""
