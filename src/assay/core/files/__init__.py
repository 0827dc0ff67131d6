"""What lies on disk: folders, text and JSON files, digests, and tasks handed over as files."""
