"""A generator without a language model: the mark that a language model has to beat."""

from du_eval.generators.baseline.generator import BaselineGenerator

__all__ = ["BaselineGenerator"]
