"""Problems as task folders of Harbor, for agents that work in a terminal."""

from assay.connections.harbor.exporting import Exported, export_tasks

__all__ = ["Exported", "export_tasks"]
