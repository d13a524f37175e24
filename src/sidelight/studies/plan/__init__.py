"""From a study to its cases, and from cases to tasks."""
