"""Files: saved monitors, and predictions and answers in CSV, JSON and Parquet."""
