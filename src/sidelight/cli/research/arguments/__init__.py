"""Games, laws, contexts and strategies as they are written on a command line."""
