"""What all requests pass, whether they are for the interface or for pages."""
