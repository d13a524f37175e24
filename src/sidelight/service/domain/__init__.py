"""What the service does: monitors, decisions, answers, the review queue."""
