"""The exception of this package and of the labs."""

from __future__ import annotations

from ayatori.base.errors import Error


class ProgramError(Error):
    """A program is missing, refused its input, died, or took too long.

    `message` says what failed in one line, `cause` quotes the program that failed, `hint` says what would help.
    """
