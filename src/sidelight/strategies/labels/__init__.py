"""Strategies for games in which one action reveals the outcome: STAP, CESA and Pólya-Gamma sampling."""
