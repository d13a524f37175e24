"""ProspectModel: partial monitoring with the classifier that one already has."""
