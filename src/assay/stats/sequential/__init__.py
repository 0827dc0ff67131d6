"""Comparisons that may be looked at after every problem: bets on differences, and what they decide."""
