"""The drift track: why did the process change, and which document says so."""
