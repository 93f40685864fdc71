"""The one base class of errors that a user can cause and mend."""


class UserError(ValueError):
    """Bad input: the message is one sentence saying what is wrong, where, and what would be right.

    Stages and the command line print the message alone and exit with status 1.
    """
