"""The one writing thread of a process, its units of work, and timed duties."""
