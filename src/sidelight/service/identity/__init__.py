"""Who may do what: keys of programs, reviewers and how they sign in."""
