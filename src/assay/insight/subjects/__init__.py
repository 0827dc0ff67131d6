"""Subjects that come with the track: baselines, adapters, references."""
