"""The search behind the agent ``relational``: tables as typed sheets, candidates, their choice, functions as source."""
