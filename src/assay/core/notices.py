"""Notices for users who wait: what takes long and why, on standard error."""

from __future__ import annotations

import logging

__all__ = ["show_notices"]


def show_notices() -> None:
    """Print what Assay's own loggers say from INFO on; for processes that Assay itself started."""
    logger = logging.getLogger("assay")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("assay: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
