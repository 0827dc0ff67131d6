"""``assay TRACK new``: a problem from the user's own material, one module per track."""
