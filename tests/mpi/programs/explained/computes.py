"""mpi4py's objects: a pickled message is received by a matched probe; arrays go by nonblocking calls."""

import time

from mpi4py import MPI

world = MPI.COMM_WORLD
if world.rank == 0:
    time.sleep(0.3)
    world.send("an object", dest=1)
else:
    world.recv(source=0)
begun = [world.Irecv(bytearray(16), source=1 - world.rank), world.Isend(bytes(16), dest=1 - world.rank)]
time.sleep(1)
MPI.Request.Waitall(begun)
