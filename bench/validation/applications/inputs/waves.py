"""A two-dimensional wave equation by FFTs: each step has two transposes (Alltoall), and an energy (Allreduce)."""

import os
import time

import numpy as np

SIZE, STEPS = 384, int(os.environ.get("STEPS", "60"))


def main() -> None:
    from mpi4py import MPI  # starts MPI

    world = MPI.COMM_WORLD
    rows = SIZE // world.size
    assert rows * world.size == SIZE, f"{world.size} ranks do not divide {SIZE}"

    def transposed(field: np.ndarray) -> np.ndarray:
        """Rows of the transpose."""
        sent = np.ascontiguousarray(field.reshape(rows, world.size, rows).transpose(1, 2, 0))
        received = np.empty_like(sent)
        world.Alltoall(sent, received)
        return np.ascontiguousarray(received.transpose(1, 0, 2)).reshape(rows, SIZE)

    first = world.rank * rows
    x, y = np.meshgrid(np.arange(SIZE), np.arange(first, first + rows))
    field = np.exp(-((x - 0.3 * SIZE) ** 2 + (y - 0.6 * SIZE) ** 2) / 200.0).astype(complex)
    wave = np.fft.fftfreq(SIZE, 1 / SIZE)
    factor = np.exp(-1e-4j * (wave[None, :] ** 2 + wave[first : first + rows, None] ** 2))

    world.Barrier()
    begin = time.perf_counter()
    for step in range(STEPS):
        spectrum = np.fft.fft(transposed(np.fft.fft(field, axis=1)), axis=1)
        field = np.fft.ifft(transposed(np.fft.ifft(spectrum * factor, axis=1)), axis=1)
        energy = world.allreduce(float(np.vdot(field, field).real), op=MPI.SUM)
        if step % 20 == 19 and world.rank == 0:
            print(f"result step {step + 1}: {energy:.17g}", flush=True)
    world.Barrier()
    if world.rank == 0:
        print(f"seconds {time.perf_counter() - begin:.6f}", flush=True)


if __name__ == "__main__":
    main()
