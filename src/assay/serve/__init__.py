"""A local web view of results folders, live while a run writes them; it reads and never writes."""

from assay.serve.app import make_app
from assay.serve.server import serve

__all__ = ["make_app", "serve"]
