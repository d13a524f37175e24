"""Tables and figures: pure functions of what was computed elsewhere."""
