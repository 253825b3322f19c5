"""k-means of integers: the centres are broadcast, sums of 64-bit integers are reduced, which is exact."""

import os
import time

import numpy as np

POINTS, CENTRES, DIMENSIONS = 20_000, 64, 32
STEPS = int(os.environ.get("STEPS", "40"))


def main() -> None:
    from mpi4py import MPI  # starts MPI

    world = MPI.COMM_WORLD
    draw = np.random.default_rng(world.rank)
    points = draw.integers(0, 1 << 20, (POINTS // world.size, DIMENSIONS))
    centres = np.random.default_rng(99).integers(0, 1 << 20, (CENTRES, DIMENSIONS))

    world.Barrier()
    begin = time.perf_counter()
    for step in range(STEPS):
        world.Bcast(centres, root=0)
        a, b = points.astype(float), centres.astype(float)
        nearest = np.argmin((a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)[None, :], axis=1)
        sums = np.zeros((CENTRES, DIMENSIONS + 1), dtype=np.int64)
        for centre in range(CENTRES):
            own = points[nearest == centre]
            sums[centre] = [*own.sum(0), len(own)]
        whole = np.empty_like(sums)
        world.Allreduce(sums, whole, op=MPI.SUM)
        centres = whole[:, :DIMENSIONS] // np.maximum(1, whole[:, DIMENSIONS:])
        if step % 20 == 19 and world.rank == 0:
            print(f"result step {step + 1}: {int(centres.sum())} {int(whole[:, DIMENSIONS].max())}", flush=True)
    world.Barrier()
    if world.rank == 0:
        print(f"seconds {time.perf_counter() - begin:.6f}", flush=True)


if __name__ == "__main__":
    main()
