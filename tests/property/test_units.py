"""Sizes, rates and times as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, parse_bytes, parse_rate, parse_seconds


@given(st.integers(0, 2**58))
def test_what_is_printed_is_read_back(count: int) -> None:
    assert parse_bytes(format_bytes(count)) == parse_bytes(str(count)) == count


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_a_clear_error(text: str) -> None:
    for parse in (parse_bytes, parse_rate, parse_seconds):
        try:
            assert parse(text) >= 0
        except Error as error:
            assert text in error.message and "\n" not in error.message.replace(text, "")


@pytest.mark.parametrize("text", ["1MiB", "1mib", "1MIB", "1M", "1m", "1 MiB", "1024K", "1024kib"])
def test_parse_bytes_takes_units_in_any_case_and_as_one_letter(text: str) -> None:
    assert parse_bytes(text) == 2**20


def test_parse_bytes_takes_units_with_a_b_as_powers_of_1000() -> None:
    assert parse_bytes("1mb") == parse_bytes("1 MB") == parse_bytes("1000kb") == 10**6


def test_units() -> None:
    assert (parse_bytes("1.5KiB"), parse_bytes("1MB"), parse_bytes("7")) == (1536, 10**6, 7)
    assert (parse_rate("1716MB/s"), parse_rate("100Gbit/s"), parse_seconds("1.5us")) == (1716e6, 12.5e9, 1.5e-6)
    assert parse_rate("2MiB/s") == parse_rate("2mib/s") == 2**21 and parse_rate("8mbit/s") == parse_rate("1mb/s") == 1e6
    for wrong in ("0.3B", "1 mx", "-1", "", "1e3", "1MBi"):
        with pytest.raises(Error):
            parse_bytes(wrong)
    for wrong in ("0MB/s", "5", "5MB"):
        with pytest.raises(Error):
            parse_rate(wrong)
