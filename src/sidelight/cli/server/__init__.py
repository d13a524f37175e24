"""Commands that serve monitors and administer the service."""
