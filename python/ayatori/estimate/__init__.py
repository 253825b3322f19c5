"""What a cluster would do that nobody has measured, or that is not built yet."""
