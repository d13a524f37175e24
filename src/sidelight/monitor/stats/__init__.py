"""The statistics of a monitor: pure functions of counts."""
