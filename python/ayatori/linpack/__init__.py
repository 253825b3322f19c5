"""High Performance Linpack, as Debian's hpcc or an xhpl has it: what it is told, run, and what it says."""
