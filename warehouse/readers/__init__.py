"""Readers: one module per input kind, path to record batches and issues."""
