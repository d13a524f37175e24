"""Float optimization: the best-fitting law, the least divergence behind a border, the cheapest allocation, C*(p)."""
