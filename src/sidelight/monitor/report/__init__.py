"""What a monitor knows, as records, words, page and figure."""
