"""Prospect, which weighs what a look would save in the rounds to come, with and without contexts."""
