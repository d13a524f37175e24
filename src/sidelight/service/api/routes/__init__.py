"""The HTTP interface; each file has a `router`, and all of them are served."""
