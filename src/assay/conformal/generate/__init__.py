"""Problems with a known truth: families of classes and of numbers."""

from assay.conformal.generate.problems import FAMILIES, Draw, builtin, digits_data, draw, generate

__all__ = ["FAMILIES", "Draw", "builtin", "digits_data", "draw", "generate"]
