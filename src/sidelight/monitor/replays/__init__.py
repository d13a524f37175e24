"""What monitoring would have cost on past predictions whose truth is known."""
