"""The papers' figures and numbers, made again: one folder a paper, run by `./run experiments`."""
