"""``assay drift``: detect drifts in event logs, explain them from documents, and evaluate explainers."""
