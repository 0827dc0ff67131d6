"""Problems for agents that speak the Model Context Protocol: tasks out, answers in, the same records as of any run."""

from assay.connections.mcp.desk import Desk
from assay.connections.mcp.server import make_server

__all__ = ["Desk", "make_server"]
