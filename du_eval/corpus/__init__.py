"""Metrics of dialogue corpora: files of responses against sources, targets and training data."""
