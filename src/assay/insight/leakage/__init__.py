"""Leak checks: does a function use what it could not have known?"""
