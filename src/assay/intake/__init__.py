"""Everything foreign is read here: JSON, npz files, tables and archives, with one set of limits.

Errors name the file, the place in it and the remedy. No pickle is ever read.
"""
