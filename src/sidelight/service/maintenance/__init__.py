"""What administrators do with the stored data: back up, copy, export, check, prune."""
