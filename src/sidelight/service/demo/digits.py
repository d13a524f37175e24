"""Pictures of digits as if written by hand: a pen follows a few points, never quite the same way."""

from __future__ import annotations

import itertools
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

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


def draw_digit(digit: str, rng: np.random.Generator) -> bytes:
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
    return png(np.round(245.0 - 210.0 * ink).astype(np.uint8))


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a gray picture as a PNG file."""
    height, width = pixels.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), pixels])
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
