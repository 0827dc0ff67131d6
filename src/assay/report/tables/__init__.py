"""Tables: leaderboards, pairs, groups, profiles."""
