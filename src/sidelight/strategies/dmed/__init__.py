"""PM-DMED, which plays actions until the evidence against each rival suffices, and its version with a hinge."""
