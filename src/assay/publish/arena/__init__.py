"""Rounds on problems that did not exist when the subjects were handed in: commit, enter, reveal, replay."""
