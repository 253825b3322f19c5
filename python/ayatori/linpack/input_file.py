"""The input file of HPL (HPL.dat), which is also the first part of hpcc's (hpccinf.txt)."""

from __future__ import annotations

from ayatori.linpack.settings import BROADCASTS, Point, Variant

_TEMPLATE = """HPLinpack benchmark input file
written by ayatori bench hpl
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{order} Ns
1            # of NBs
{block} NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{rows} Ps
{columns} Qs
{threshold} threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
{broadcast} BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
{depth} DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""

_HPCC = """##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


def input_text(point: Point, variant: Variant, hpcc: bool) -> str:
    """One test; `hpcc`: with the lines that hpcc reads in addition."""
    text = _TEMPLATE.format(
        order=point.order,
        block=point.block,
        rows=point.rows,
        columns=point.columns,
        threshold=variant.threshold,
        broadcast=BROADCASTS.index(variant.broadcast),
        depth=variant.depth,
    )
    return text + _HPCC if hpcc else text
