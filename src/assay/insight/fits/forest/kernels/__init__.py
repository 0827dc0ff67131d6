"""Compiled kernels that grow trees."""
