"""Locking a process down: Landlock, seccomp, resource limits."""
