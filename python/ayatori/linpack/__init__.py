"""High Performance Linpack, as Debian's hpcc or an xhpl has it: its input, its run, and its output."""
