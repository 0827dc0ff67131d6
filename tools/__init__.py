"""What developers run: nothing of it is installed."""
