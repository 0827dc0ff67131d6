"""Subjects that come with the track: methods that find formulas, each behind the same small class."""
