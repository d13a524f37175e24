"""Commands for research: games, strategies, simulations, studies."""
