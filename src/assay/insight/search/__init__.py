"""The search of the agent ``relational``: typed tables, candidate columns, the choice among them, source code."""
