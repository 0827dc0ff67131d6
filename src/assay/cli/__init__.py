"""The ``assay`` command, one module per command; modules load when their command is called."""
