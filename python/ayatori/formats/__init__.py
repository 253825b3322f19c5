"""The files that plans and choices are saved in."""
