"""Rounds on problems that did not exist when the subjects were submitted: commit, enter, reveal, replay."""
