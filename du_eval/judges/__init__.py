"""Judges: models that have an opinion, loaded when they are asked."""
