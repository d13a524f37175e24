"""Who may do what: the keys of programs, and reviewers and how they sign in."""
