"""Measures stretches by the program of `ayatori calibrate`, and fits what it fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ayatori.calibration.fitting import errors_of, fit_messages, one_way
from ayatori.calibration.measuring import Measurement, Mpi, Samples, compile_program, measure
from ayatori.diagnosis import ways_of
from ayatori.formats.calibration import Calibration
from ayatori.pingpong.stretches import Stretch
from ayatori.prediction.costs import MessageCosts

LAUNCHES = 7
"""Of the MPI. What small messages take is nearly the same all through a launch, and a third more in another."""
_QUICK_SECONDS = 1.0
"""Who wants an answer in less gets that of one launch: starting the MPI takes longer than that."""
_MORE_SECONDS = 240.0
"""At most, until there are some rounds of all sizes: large messages take long over slow cables."""
_LARGEST_OF_ALL_LAUNCHES = 4 << 10
"""Bytes. Larger messages, for which that is little, are measured in the first launch alone."""


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
    of one byte up to the largest. A stretch's launches are not one after the other, as the machine has slow times.

    Raises Error if the MPI can't be compiled for or started.
    """
    with TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        program = compile_program(mpi, folder)

        def launch(stretch: Stretch, time: float, sizes: Sequence[int]) -> Measurement:
            note(f"{stretch.name}: {' and '.join(stretch.hosts)}")
            hostfile = folder / "hosts"
            hostfile.write_text("".join(f"{host}\n" for host in stretch.hosts))
            settings, wrapper = _settings(stretch, mpi, folder)
            words = [*wrapper, str(program), "--ping-pong"]
            more = _MORE_SECONDS
            return measure(mpi, words, folder, time, hostfile, settings=settings, sizes=sizes, more_seconds=more)

        launches = [[launch(stretch, seconds, sizes_up_to(largest))] for stretch in stretches]
        for _ in range(LAUNCHES - 1 if seconds >= _QUICK_SECONDS else 0):
            for stretch, own in zip(stretches, launches, strict=True):
                own.append(launch(stretch, seconds / LAUNCHES, sizes_up_to(min(largest, _LARGEST_OF_ALL_LAUNCHES))))
    measured = [fastest_of_launches(own) for own in launches]
    return [Result(stretch, one, fit_ping_pong(one)) for stretch, one in zip(stretches, measured, strict=True)]


def fastest_of_launches(launches: Sequence[Measurement]) -> Measurement:
    """The shortest times of each size of the first one: what else runs here makes launches slower, never faster."""
    first = launches[0]

    def over_launches(pattern: str, quantile: str) -> dict[int, float]:
        of_launches = [getattr(launch.patterns[pattern], quantile) for launch in launches]
        return {size: min(times[size] for times in of_launches if size in times) for size in of_launches[0]}

    patterns = {
        pattern: Samples(*(over_launches(pattern, quantile) for quantile in ("median", "tenth", "three_quarters")))
        for pattern in first.patterns
    }
    return replace(first, rounds=sum(launch.rounds for launch in launches), patterns=patterns)


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
