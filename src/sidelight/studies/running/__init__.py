"""Running a study."""
