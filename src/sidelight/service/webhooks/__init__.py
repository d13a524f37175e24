"""Webhooks: what happens to a monitor, signed and sent to the addresses that an administrator entered."""
