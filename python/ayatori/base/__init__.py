"""What every other package may use: the exception, files, and numbers with units."""
