"""Engines that run cells."""

from assay.harness.runners.local import LocalRunner
from assay.harness.runners.protocol import Lost, Outcome, Runner

__all__ = ["LocalRunner", "Lost", "Outcome", "Runner"]
