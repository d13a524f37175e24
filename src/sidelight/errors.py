"""The errors that users can cause, each with a message that says what to do."""


class SidelightError(ValueError):
    """Something cannot be done; the message says why and what to do."""


class ParameterError(SidelightError):
    """An argument has a value that cannot be used; `name` says which argument."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class GameError(SidelightError):
    """A game, or the description of one, cannot be used; the message says where and what to do."""


class FileError(SidelightError, OSError):
    """A file or a folder cannot be read or written."""


class NoFileError(FileError, FileNotFoundError):
    """A file does not exist."""


class WrongTypeError(SidelightError, TypeError):
    """An argument has the wrong type, is missing, or is one too many."""


class NoActionError(GameError, IndexError):
    """The game has no such action."""


class ImmutableError(SidelightError, AttributeError):
    """Something immutable was to be changed."""


class NoEntryError(SidelightError, KeyError):
    """A report has no entry of this name."""

    __str__ = Exception.__str__  # KeyError would put quotation marks around the message
