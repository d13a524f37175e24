"""From the words of a study to games, environments, strategies and policies."""
