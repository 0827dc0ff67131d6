"""Event logs: XES, CSV, Parquet and frames, as columns."""
