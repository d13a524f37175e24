"""What several families of strategies use: regressions, first rounds, what a game must offer."""
