"""What lies behind a leaderboard: what each problem tells, where variation comes from, how much more is needed."""
