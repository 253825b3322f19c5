"""One page a paper: every figure, table, number, claim and item of future work, with the paper's value next to ours."""

from experiments.papers.pages import write_pages
from experiments.papers.rows import MARKS, PAPERS, Paper, Row, read_paper

__all__ = ["MARKS", "PAPERS", "Paper", "Row", "read_paper", "write_pages"]
