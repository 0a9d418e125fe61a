"""Consent to what settings would do that were found rather than given."""
