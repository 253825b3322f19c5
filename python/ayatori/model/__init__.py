"""The network as Python sees it: opened, named, described, and the jobs that run on it."""
