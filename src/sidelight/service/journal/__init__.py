"""The journal of each monitor, the monitors in memory that follow it, their snapshots, and the audit log."""
