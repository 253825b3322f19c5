"""Measures stretches by the program of `ayatori calibrate`, and fits what it fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ayatori.calibration.fitting import errors_of, fit_messages, one_way
from ayatori.calibration.measuring import Measurement, Mpi, compile_program, measure
from ayatori.diagnosis import ways_of
from ayatori.formats.calibration import Calibration
from ayatori.pingpong.stretches import Stretch
from ayatori.prediction.costs import MessageCosts


def sizes_up_to(largest: int) -> list[int]:
    """Powers of two."""
    return [1 << power for power in range(largest.bit_length())]


@dataclass(frozen=True)
class Result:
    """What messages take on a stretch: seconds by bytes, medians over many round trips."""

    stretch: Stretch
    measured: Measurement
    costs: MessageCosts

    @property
    def half_round_trip(self) -> dict[int, float]:
        return self.measured.medians("one_way")

    @property
    def spread(self) -> dict[int, tuple[float, float]]:
        """Between which times seven tenths of the round trips are: from a tenth up to eight tenths of them."""
        samples = self.measured.patterns["one_way"]
        return {size: (samples.tenth[size], samples.three_quarters[size]) for size in samples.median}

    @property
    def one_after_the_other(self) -> dict[int, float]:
        """Seconds of each of many messages that are sent without waiting for an answer."""
        return self.measured.medians("burst")

    def calibration(self, links: int) -> Calibration:
        """`links` lie between the hosts."""
        name = f"{self.stretch.hosts[0]} - {self.stretch.hosts[1]} ({self.stretch.name})"
        errors = errors_of(
            "half round trip",
            lambda size: one_way(self.costs, size),
            self.half_round_trip.items(),
            fitted=True,
        )
        return Calibration(name, self.measured.mpi, between=self.costs, links_between=links, errors=tuple(errors))


def measure_stretches(
    stretches: Sequence[Stretch],
    mpi: Mpi,
    seconds: float,
    largest: int,
    note: Callable[[str], None] = lambda _text: None,
) -> list[Result]:
    """One after the other, so that they don't disturb each other, for at least so many seconds each, messages
    of one byte up to the largest.

    Raises Error if the MPI can't be compiled for or started.
    """
    with TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        program = compile_program(mpi, folder)
        results = []
        for stretch in stretches:
            note(f"{stretch.name}: {' and '.join(stretch.hosts)}")
            hostfile = folder / "hosts"
            hostfile.write_text("".join(f"{host}\n" for host in stretch.hosts))
            settings, wrapper = _settings(stretch, mpi, folder)
            words = [*wrapper, str(program), "--ping-pong"]
            measured = measure(mpi, words, folder, seconds, hostfile, settings=settings, sizes=sizes_up_to(largest))
            results.append(Result(stretch, measured, fit_ping_pong(measured)))
        return results


def fit_ping_pong(measured: Measurement) -> MessageCosts:
    """The calibration's fit. A ping-pong does not say what an exchange takes: it is taken to be as long as one way."""
    patterns = measured.patterns
    whole = patterns["one_way"]
    exchanges = {"exchange": whole, "chain": whole} | patterns
    return fit_messages(
        Measurement(measured.mpi, measured.hosts, measured.same_node, measured.rounds, measured.eager_limit, exchanges),
        inside=False,
        start=0.0,
    )


def _settings(stretch: Stretch, mpi: Mpi, folder: Path) -> tuple[list[str], list[str]]:
    """Words for the launcher, and a program with its words that starts ours. They concern messages alone: the launcher
    itself may run on a host that is not on the network."""
    if not mpi.is_open_mpi:
        return [], [_wrapper(stretch, folder)]
    way = next((way for way in ways_of(stretch.facts) if way.addresses == stretch.ends), None)
    if way is not None and way.alone:
        return ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", way.network], []
    # Open MPI's own TCP takes neither an interface with several addresses nor one for each rank.
    words = ["--mca", "pml", "ucx", "--mca", "osc", "ucx", "--mca", "opal_common_ucx_tls", "any"]
    words += ["--mca", "opal_common_ucx_devices", "any", "-x", "UCX_TLS=tcp,self,sm"]
    return words, [_wrapper(stretch, folder)]


def _wrapper(stretch: Stretch, folder: Path) -> str:
    """Gives each of two ranks an interface of its own, which the settings of a launcher can't."""
    script = folder / "with-interface"
    first, second = (end.interface for end in stretch.ends)
    script.write_text(
        "#!/bin/sh\n"
        f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ]; then name={first}; else name={second}; fi\n'
        'export UCX_NET_DEVICES="$name" FI_TCP_IFACE="$name"\nexec "$@"\n'
    )
    script.chmod(0o755)
    return str(script)
