"""Tables and figures: pure functions of computed results."""
