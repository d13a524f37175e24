"""Text files, plain or gzipped, in UTF-8, or in UTF-16 or UTF-32 if the first bytes show it.

Bytes that are invalid in the encoding are an error that names the line and the remedy: replacing or dropping them could
change class names.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from sidelight.errors import FileError, NoFileError, SidelightError

Source = str | Path | BinaryIO | TextIO

_GZIP = b"\x1f\x8b"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 4
_PIECE = 1 << 16


class Text:
    """An open text, read line by line or piece by piece, without line ends being changed."""

    def __init__(self, file: TextIO, encoding: str, name: str) -> None:
        self.file, self.encoding, self.name = file, encoding, name
        self.number = 0
        """How many line ends have been read."""

    def skip_space(self) -> str:
        """Skip white space, and return the first character after it; empty at the end."""
        while (mark := self._checked(self.file.read(1))).isspace() or mark == "\ufeff":
            pass
        return mark

    def lines(self, begun: str = "") -> Iterator[str]:
        """Yield the lines that follow; the first one was begun before."""
        while line := begun + self._checked(self.file.readline()):
            begun = ""
            yield line

    def pieces(self) -> Iterator[str]:
        """Yield what follows in pieces, regardless of lines."""
        while piece := self._checked(self.file.read(_PIECE)):
            yield piece

    def _checked(self, text: str) -> str:
        try:
            if not text.isascii():
                text.encode("utf-8")
        except UnicodeEncodeError as error:
            line, byte = self.number + 1 + text.count("\n", 0, error.start), ord(text[error.start]) & 0xFF
            raise SidelightError(
                f"line {line} of {self.name} is not in UTF-8 (it has the byte 0x{byte:02x}): if the file is in "
                "Latin-1, as spreadsheets write it, say so with encoding='latin-1' (--encoding latin-1)"
            ) from None
        self.number += text.count("\n")
        return text


@contextlib.contextmanager
def open_text(source: Source, encoding: str | None, name: str) -> Iterator[Text]:
    """Open a file, or an open stream of bytes or text; `name` is what errors call it."""
    with contextlib.ExitStack() as stack:
        try:
            if isinstance(source, io.TextIOBase) and not hasattr(source, "buffer"):
                text = Text(source, "", name)  # type: ignore[arg-type]
            elif isinstance(source, str | Path):
                check_file(source)
                text = _decoded(stack.enter_context(open(source, "rb")), encoding, name)
            else:
                text = _decoded(getattr(source, "buffer", source), encoding, name)
            yield text
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FileError(f"{name} is damaged: it cannot be unpacked to its end ({error})") from None
        except UnicodeError as error:
            raise SidelightError(
                f"after line {text.number}, {name} is not in {text.encoding} ({error}): say which encoding it has"
            ) from None
        except OSError as error:
            if isinstance(error, SidelightError):
                raise
            raise FileError(f"cannot read {name}: {error.strerror or error}") from error


def check_file(path: str | Path) -> None:
    """Refuse a path that is not a readable file."""
    if not os.path.exists(path):
        raise NoFileError(f"there is no file {str(path)!r}")
    if os.path.isdir(path):
        raise FileError(f"{str(path)!r} is a folder: give a file")


class _Again(io.RawIOBase):
    """A stream of bytes whose beginning has already been read."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self.head[: len(buffer)] or self.rest.read(len(buffer))
        self.head = self.head[len(found) :]
        buffer[: len(found)] = found
        return len(found)


def _beginning(raw: Any) -> tuple[bytes, Any]:
    """Return the first bytes of a stream, which may be a pipe, and the whole stream."""
    head = b""
    while len(head) < _HEAD and (more := raw.read(_HEAD - len(head))):
        head += more
    return head, io.BufferedReader(_Again(head, raw), _PIECE)


def _decoded(raw: Any, encoding: str | None, name: str) -> Text:
    head, whole = _beginning(raw)
    if head.startswith(_GZIP):
        head, whole = _beginning(gzip.GzipFile(fileobj=whole))
    chosen = encoding or _encoding(head)
    try:
        # Bytes that UTF-8 does not have become lone surrogates first, so that the line they are in is known.
        errors = "surrogateescape" if codecs.lookup(chosen).name.startswith("utf-8") else "strict"
    except LookupError:
        raise SidelightError(f"there is no encoding {chosen!r}: give one such as utf-8, latin-1 or utf-16") from None
    return Text(io.TextIOWrapper(whole, chosen, errors, newline=""), chosen, name)


def _encoding(head: bytes) -> str:
    """Return the encoding that the first bytes show; without a byte order mark, text begins with ASCII."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if len(head) == _HEAD and not any(head[1::2]):
        return "utf-16-le"
    return "utf-16-be" if len(head) == _HEAD and not any(head[::2]) else "utf-8"
