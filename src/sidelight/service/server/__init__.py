"""One server process: the application, its socket, and how it starts and stops."""
