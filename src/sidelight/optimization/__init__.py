"""Optimization in floats: the best-fitting law, the least divergence behind a border, the cheapest allocation."""
