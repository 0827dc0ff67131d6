"""Calibration: nonconformity scores into thresholds, per task or for all tasks at once."""
