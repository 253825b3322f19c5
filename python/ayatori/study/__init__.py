"""One fabric, many jobs, every method: what the demo prints and the report draws."""
