"""The exception of the labs."""

from __future__ import annotations

from ayatori.errors import Error


class LabError(Error):
    """A lab could not do what was asked: a program is missing, refused its input, died, or took too long.

    `message` says what failed in one line, `cause` quotes the program that failed, `hint` says what would help.
    """
