"""The report of a study: tables, figures and a page."""
