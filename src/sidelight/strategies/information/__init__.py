"""Information-directed sampling, with and without contexts."""
