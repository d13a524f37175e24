"""The tables and figures of the paper, one short file each."""
