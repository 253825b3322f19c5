"""Token buckets that limit NICs, found in what an ideal machine would measure, and in times of real ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_calibration import measurement_of

from ayatori.calibration.fitting import fit
from ayatori.calibration.fitting_buckets import PACKET, Bucket, fit_bucket, fit_large_bucket
from ayatori.prediction.costs import Line, MessageCosts
from thoroughness import tries


@settings(max_examples=tries(20))
@given(st.integers(1000, 2150) | st.integers(2897, 3300), st.floats(1e7, 4e7), st.floats(1e-6, 1e-5))
def test_fit_between_machines_finds_a_token_bucket_of_packets(burst: int, bandwidth: float, latency: float) -> None:
    """Of which each passes whole. A wait of 4 KiB for less than half of a packet would be taken for its overhead."""
    ends = (Line(0, 2e-6), Line(65481, 2e-6))
    costs = MessageCosts(latency, ends, ends, 0, 65480, 3e-5, bandwidth, burst, PACKET)
    local = (Line(0, 1e-8, 1e-10),)
    found = fit(measurement_of(costs, local, local, inside=False), "between")
    assert found.messages.bandwidth == pytest.approx(bandwidth, rel=0.02)
    assert found.messages.packet == PACKET
    assert found.messages.burst == pytest.approx(burst, abs=PACKET / 10)
    assert all(error.median <= 0.06 for error in found.errors), found.errors


@settings(max_examples=tries(20))
@given(st.integers(1000, 4000) | st.integers(8000, 60000), st.floats(1e7, 4e7), st.floats(1e-6, 1e-5))
def test_fit_between_machines_finds_a_token_bucket(burst: int, bandwidth: float, latency: float) -> None:
    """That saves more than a small message takes."""
    ends = (Line(0, 2e-6), Line(65481, 2e-6))
    costs = MessageCosts(latency, ends, ends, 0, 65480, 3e-5, bandwidth, burst)
    local = (Line(0, 1e-8, 1e-10),)
    found = fit(measurement_of(costs, local, local, inside=False), "between")
    assert found.messages.bandwidth == pytest.approx(bandwidth, rel=0.02)
    assert found.messages.burst == pytest.approx(burst, rel=0.1)
    assert all(error.median <= 0.06 for error in found.errors), found.errors


def test_stairs_of_packets_are_found_where_each_costs_the_processors_time() -> None:
    """MPICH between namespaces, cables of 200 Mbit/s with a bucket of 3 KiB: its 16 bytes before a message shift the
    stairs, and the third packet still passes at once."""
    times = {1: 9.3, 16: 9.2, 1024: 9.5, 1432: 9.8, 1440: 16.6, 2880: 17.0, 2888: 32.7, 4096: 32.8, 5776: 93.4}
    times |= {5784: 149.6, 8672: 212.2, 8680: 270.8, 16384: 590.5, 19521: 693.4}
    found = fit_bucket({size: time * 1e-6 for size, time in times.items()}, 19_521, 23.7e6)
    assert found == Bucket(found.burst if found else 0, 23.7e6, PACKET, header=16)
    assert 2700 < found.burst < 3072


def assert_is_about(bucket: Bucket | None, burst: int, rate: float) -> None:
    assert bucket is not None
    assert (bucket.burst, bucket.rate) == pytest.approx((burst, rate), rel=0.02)


def test_a_token_bucket_is_found_where_a_message_after_a_rendezvous_does_not_pass_at_once() -> None:
    """MPICH on a cable of 50 Mbit/s with a bucket of 32 KiB: 19521 B took 20 us, 19522 B 1.67 ms."""
    burst, bandwidth, limit = 30_000, 6e6, 19_521
    seconds = {size: 1.1e-5 + max(0, size - burst) / bandwidth for size in (*(4**power for power in range(12)), limit)}
    assert_is_about(fit_large_bucket(seconds | {limit + 1: 1.67e-3}, limit), burst, bandwidth)
    assert fit_large_bucket(seconds | {size: 1.67e-3 for size in (limit, limit + 1, 16384)}, limit) is None


def test_a_token_bucket_is_found_where_some_messages_are_a_little_faster_than_the_smallest() -> None:
    """Between namespaces 2 KiB took 8.9 us, and a byte 11.3."""
    burst, bandwidth = 30_000, 6e7
    seconds = {size: 1.13e-5 + max(0, size - burst) / bandwidth for size in (*(4**power for power in range(12)), 2048)}
    assert_is_about(fit_large_bucket(seconds | {2048: 8.9e-6}, 19_521), burst, bandwidth)
