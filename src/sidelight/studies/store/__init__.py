"""What a study keeps on disk: its runs, and one file about everything else."""
