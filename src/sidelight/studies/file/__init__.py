"""Study files: reading TOML, and finding everything that is wrong with it."""
