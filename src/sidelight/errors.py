"""The mistakes that a user can make, each with a message that says what to do."""


class SidelightError(ValueError):
    """Something that was asked for cannot be done; the message says why and what to do."""


class GameError(SidelightError):
    """A game, or the description of one, that cannot be used; the message says where and what to do."""


class FileError(SidelightError, OSError):
    """A file or a folder that cannot be read or written."""


class NoFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class WrongTypeError(SidelightError, TypeError):
    """An argument of the wrong kind, one that is missing, or one too many."""


class NoActionError(GameError, IndexError):
    """An action that the game does not have."""


class ImmutableError(SidelightError, AttributeError):
    """An attempt to change what cannot be changed."""


class NoEntryError(SidelightError, KeyError):
    """A name that a report does not have."""

    __str__ = Exception.__str__  # KeyError would put quotation marks around the message
