"""The processes of a server: starting, watching and stopping them, and sending commands to a running server."""
