"""Forwarding tables, the paths that a job's messages take over them, and the contention that follows."""
