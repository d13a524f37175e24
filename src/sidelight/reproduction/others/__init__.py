"""Experiments of other papers as studies, beside what they print: `sidelight reproduce others`."""
