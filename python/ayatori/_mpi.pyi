"""
What runs inside MPI programs, and cables for the hosts of a lab that they run on.
"""

from collections.abc import Sequence


def play_without_carrying(steps: int) -> int:
    """
    Returns the number of messages that were played; see ayatori/player/own_time.hpp.
    """

def carry_frames(cables: Sequence[tuple[int, int, float]]) -> None:
    """
    Delays what passes these cables: the descriptors of both ends, and seconds. Never returns: raises Error when an end is gone; see ayatori/delays/delayed_cables.hpp.
    """
