"""The charts that every track has: drawn from scores alone, in the leaderboard's order."""
