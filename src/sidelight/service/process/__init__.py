"""Processes of a server: who starts, watches and ends them, and how commands reach a served database."""
