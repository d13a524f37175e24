"""Webhooks: signed messages about events, sent to the addresses that an administrator entered."""
