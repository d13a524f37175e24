"""Two made-up classifiers: what they see, what they say, and how often they are wrong; and pictures of digits."""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.service.domain import inputs
from sidelight.service.domain.inputs import Payload

_SIZE = 160
_STROKES = {
    "0": "50 20 26 34 22 60 32 84 52 92 74 80 80 54 72 30 50 20",
    "1": "32 38 54 18 52 92",
    "2": "26 36 44 18 68 24 72 44 54 64 24 90 78 90",
    "3": "28 22 58 18 74 32 66 46 44 52 68 56 76 74 58 92 26 86",
    "4": "64 92 64 18 22 68 80 68",
    "5": "74 20 36 20 32 50 58 46 76 64 64 88 26 88",
    "6": "68 18 38 40 26 68 40 90 66 88 74 68 58 54 30 66",
    "7": "24 20 76 20 50 58 40 92",
    "8": "52 18 30 32 44 50 70 66 66 88 42 92 28 76 44 56 70 36 52 18",
    "9": "72 38 52 52 32 42 36 22 60 18 72 38 66 68 54 92",
}
DIGITS = tuple(_STROKES)


def draw_demo_digit(digit: str, rng: np.random.Generator) -> bytes:
    """Return a PNG file of a digit: the ink is dark where the distance to its strokes is small."""
    points = np.array(_STROKES[digit].split(), float).reshape(-1, 2) / 50.0 - 1.0 + rng.normal(0.0, 0.04, 2)
    points += rng.normal(0.0, 0.035, points.shape)
    points[:, 0] *= rng.uniform(0.75, 1.0)
    points[:, 0] -= rng.uniform(-0.05, 0.3) * points[:, 1]
    for _ in range(2):  # round the corners
        quarters = (0.75 * points[:-1] + 0.25 * points[1:], 0.25 * points[:-1] + 0.75 * points[1:])
        points = np.concatenate([points[:1], np.stack(quarters, 1).reshape(-1, 2), points[-1:]])
    axis = np.linspace(-1.2, 1.2, _SIZE)
    x, y = np.meshgrid(axis, axis)
    distance = np.full((_SIZE, _SIZE), np.inf)
    for start, end in itertools.pairwise(points):
        along = end - start
        t = np.clip(((x - start[0]) * along[0] + (y - start[1]) * along[1]) / (along @ along), 0.0, 1.0)
        distance = np.minimum(distance, np.hypot(x - start[0] - t * along[0], y - start[1] - t * along[1]))
    ink = np.clip(0.5 - (distance - rng.uniform(0.05, 0.09)) / 0.03, 0.0, 1.0)
    return encode_demo_png(np.round(245.0 - 210.0 * ink).astype(np.uint8))


def encode_demo_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a gray picture as a PNG file."""
    height, width = pixels.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), pixels])
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@dataclass
class DemoWorld:
    """A made-up classifier, its inputs, and the name and settings of its monitor."""

    name: str
    settings: dict[str, Any]
    traffic: dict[str, float]
    """How often each class is predicted, in proportion."""
    errors: dict[str, float]
    """The share of wrong predictions of each class."""
    mistaken: dict[str, str]
    """The true class when a prediction of a class is wrong."""
    show: Callable[[str, np.random.Generator], Payload]
    """Returns what a reviewer sees of something that really belongs to a class."""
    made: int = 0
    truth: dict[str, str] = field(default_factory=dict)
    """The true classes of the pending predictions, by id."""

    def predict(self, rng: np.random.Generator) -> tuple[str, str, str]:
        """Return an id, the prediction, and the true class."""
        self.made += 1
        names = list(self.traffic)
        weights = np.array(list(self.traffic.values()))
        said = names[int(rng.choice(len(names), p=weights / weights.sum()))]
        real = self.mistaken[said] if rng.random() < self.errors[said] else said
        return f"{self.name}-{self.made:06d}", said, real


_VARIANTS = 4


@cache
def _draw_digit_variant_for_demo(digit: str, variant: int) -> bytes:
    return draw_demo_digit(digit, np.random.default_rng([int(digit), variant]))


def _draw_demo_digit_once(real: str, rng: np.random.Generator) -> Payload:
    """Return a picture of a digit; each is drawn a few times, and the pictures are reused."""
    return Payload("image/png", _draw_digit_variant_for_demo(real, int(rng.integers(_VARIANTS))))


_NAMES = ("Mara", "Ben", "Yuki", "Tom", "Leila", "Omar", "Ines", "Pavel")
_TICKETS = {
    "billing": (
        "Hello, I was charged twice for the same month. Could you look at the invoice of {day} March? {name}",
        "The invoice says 48.00 but my plan costs 24.00. Please correct it before {day} April.\n\nBest, {name}",
        "Can I get last year's invoices as one file? My accountant is asking. Thanks, {name}",
    ),
    "delivery": (
        "My parcel was due on the {day}th and the tracking page has not changed since. {name}",
        "The driver left the box with a neighbor who is on holiday. What now? {name}",
        "Is it possible to change the delivery address? I am moving on the {day}th. {name}",
    ),
    "refund": (
        "I sent the lamp back {day} days ago and still have not got my money back. {name}",
        "The jacket does not fit. How do I return it, and when do I get the refund? {name}",
        "You refunded only part of my order. The shipping is missing. {name}",
    ),
    "account": (
        "I have not been able to sign in since I changed my phone. {name}",
        "Please change my email address, the old one will be closed on the {day}th. {name}",
        "How can I delete my account and everything you know about me? {name}",
    ),
}


def _write_demo_message(real: str, rng: np.random.Generator) -> Payload:
    """Return the text of a message to customer service."""
    forms = _TICKETS[real]
    text = forms[int(rng.integers(len(forms)))]
    text = text.format(name=_NAMES[int(rng.integers(len(_NAMES)))], day=int(rng.integers(4, 28)))
    return Payload(inputs.TEXT, text.encode())


def make_demo_worlds() -> list[DemoWorld]:
    """Return the classifiers of the demonstration, each at its beginning."""
    return [
        DemoWorld(
            "digits",
            {
                "tolerance": 0.05,
                "confidence": 0.95,
                "labels": list(DIGITS),
                "instructions": "Say which digit is written. If there is none, or several, skip it.",
            },
            dict.fromkeys(DIGITS, 1) | {"1": 3, "0": 2, "7": 1.5},
            dict.fromkeys(DIGITS, 0.008) | {"2": 0.05, "3": 0.015, "7": 0.18, "9": 0.12},
            dict(zip(DIGITS, "6773568131", strict=True)),
            _draw_demo_digit_once,
        ),
        DemoWorld(
            "tickets",
            {
                "tolerance": 0.1,
                "confidence": 0.95,
                "reviews": 2,
                "blind": True,
                "labels": list(_TICKETS),
                "patience": 400,
                "instructions": "Choose the team that should answer. The question is often in the last line.",
            },
            {"billing": 3, "delivery": 4, "refund": 2, "account": 1},
            {"billing": 0.03, "delivery": 0.02, "refund": 0.22, "account": 0.1},
            {"billing": "refund", "delivery": "refund", "refund": "billing", "account": "billing"},
            _write_demo_message,
        ),
    ]
