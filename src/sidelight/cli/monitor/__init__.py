"""Commands that watch a classifier with a monitor in a file."""
