"""The report of a reproduction: its tables, its words, and the document made of them."""
