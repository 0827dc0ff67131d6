"""The subject's process: spawned, limited, confined, ended."""
