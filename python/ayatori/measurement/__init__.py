"""Programs that measure on this machine."""
