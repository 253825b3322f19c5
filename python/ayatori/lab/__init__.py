"""Labs: real subnet managers, hosts and verbs on simulated hardware.

Each lab is a context manager that starts what it needs in a private folder and leaves no process behind.
"""
