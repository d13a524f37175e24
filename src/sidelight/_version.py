"""The version, in a place that imports nothing."""

__version__ = "0.1.0"
PACKAGE = "."
"""What pip installs: a clone, or "sidelight" once it is on an index; docs/set_install_commands.py tells the pages."""
