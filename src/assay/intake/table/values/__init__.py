"""Texts as values: numbers, times, booleans and missing values in the usual spellings and languages."""
