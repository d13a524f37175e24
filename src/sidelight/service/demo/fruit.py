"""Pictures of fruit on a conveyor belt, drawn from formulas.

Each fruit is a signed distance d(x, y), negative inside; height and light follow from d as on a rounded body:
h = sqrt(1 - (1 - min(-d, r) / r)^2), and the normal is its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sidelight.service.demo.png import png

Field = NDArray[np.float64]
Color = tuple[float, float, float]
_SIZE = 208
_LIGHT = np.array([-0.45, -0.62, 0.64])


class _Canvas:
    """A square from -1 to 1 that bodies are painted on, one over the other."""

    def __init__(self, rng: np.random.Generator) -> None:
        n = _SIZE
        axis = (np.arange(n) + 0.5) * 2.0 / n - 1.0
        self.x, self.y = np.meshgrid(axis, axis)
        tone = np.array([0.80, 0.82, 0.84]) + rng.uniform(-0.05, 0.05, 3)
        self.pixels = tone * (1.0 - 0.10 * self.y - 0.06 * self.x**2)[:, :, None]
        seam = np.abs((self.y + rng.uniform(0.0, 0.5)) % 0.5 - 0.25)
        self.pixels *= (1.0 - 0.06 * np.clip(1.0 - seam / 0.012, 0.0, 1.0))[:, :, None]

    def turned(self, angle: float, scale: float, dx: float, dy: float) -> tuple[Field, Field]:
        """Return the coordinates of a body that is rotated, scaled and shifted."""
        c, s = math.cos(angle), math.sin(angle)
        x, y = (self.x - dx) / scale, (self.y - dy) / scale
        return c * x + s * y, c * y - s * x

    def paint(self, d: Field, color: Color, roundness: float = 0.55, gloss: float = 0.5, shadow: bool = True) -> None:
        """Paint a body with this distance field, and its shadow on what is below."""
        if shadow:
            shift = int(0.045 * self.x.shape[0])
            soft = np.clip(0.5 - np.roll(d, (shift, shift), (0, 1)) / 0.16, 0.0, 1.0)
            self.pixels *= (1.0 - 0.34 * soft)[:, :, None]
        inside = 1.0 - np.clip(-d, 0.0, roundness) / roundness
        height = np.sqrt(np.clip(1.0 - inside**2, 0.0, 1.0)) * roundness
        step = self.x[0, 1] - self.x[0, 0]
        gy, gx = np.gradient(height, step)
        norm = np.sqrt(gx**2 + gy**2 + 1.0)
        light = (-gx * _LIGHT[0] - gy * _LIGHT[1] + _LIGHT[2]) / norm
        shade = (0.42 + 0.66 * np.clip(light, 0.0, 1.0))[:, :, None] * np.array(color)
        shade += (gloss * np.clip(light, 0.0, 1.0) ** 26)[:, :, None]
        cover = np.clip(0.5 - d / (1.5 * step), 0.0, 1.0)[:, :, None]
        self.pixels = self.pixels * (1.0 - cover) + np.clip(shade, 0.0, 1.0) * cover

    def file(self) -> bytes:
        """Return the picture."""
        return png(np.round(np.clip(self.pixels, 0.0, 1.0) * 255.0).astype(np.uint8))


def _ellipse(x: Field, y: Field, a: float, b: float) -> Field:
    """Return a distance to an ellipse that is exact to first order."""
    k = np.sqrt((x / a) ** 2 + (y / b) ** 2)
    slope = np.sqrt((x / a**2) ** 2 + (y / b**2) ** 2)
    return k * (k - 1.0) / np.maximum(slope, 1e-9)


def _stroke(x: Field, y: Field, start: tuple[float, float], end: tuple[float, float], width: float) -> Field:
    """Return the distance to a thick line."""
    bx, by = end[0] - start[0], end[1] - start[1]
    t = np.clip(((x - start[0]) * bx + (y - start[1]) * by) / (bx * bx + by * by), 0.0, 1.0)
    return np.hypot(x - start[0] - t * bx, y - start[1] - t * by) - width


def _blend(one: Field, other: Field, k: float) -> Field:
    """Return the union of two bodies with a soft seam."""
    h = np.clip(0.5 + 0.5 * (other - one) / k, 0.0, 1.0)
    return other * (1.0 - h) + one * h - k * h * (1.0 - h)


def _leaf(canvas: _Canvas, x: Field, y: Field, cx: float, cy: float, turn: float) -> None:
    c, s = math.cos(turn), math.sin(turn)
    u, v = c * (x - cx) + s * (y - cy), c * (y - cy) - s * (x - cx)
    d = np.maximum(np.hypot(u, v - 0.16) - 0.26, np.hypot(u, v + 0.16) - 0.26)
    canvas.paint(d, (0.30, 0.58, 0.22), 0.12, 0.15, shadow=False)


def _apple(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    theta = np.arctan2(x, -y)
    radius = 0.60 - 0.10 * np.exp(-((theta / 0.33) ** 2)) - 0.05 * np.exp(-(((np.abs(theta) - math.pi) / 0.4) ** 2))
    color = (0.80, 0.13, 0.14) if rng.random() < 0.7 else (0.55, 0.74, 0.22)
    canvas.paint(np.hypot(x, y) - radius, color)
    canvas.paint(_stroke(x, y, (0.0, -0.46), (0.07, -0.72), 0.028), (0.38, 0.25, 0.13), 0.04, 0.1, shadow=False)
    _leaf(canvas, x, y, 0.22, -0.66, 0.35)


def _pear(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    body = _blend(np.hypot(x, y - 0.22) - 0.46, np.hypot(x, y + 0.34) - 0.24, 0.28)
    canvas.paint(body, (0.80, 0.78 + rng.uniform(-0.06, 0.04), 0.25), 0.5, 0.35)
    canvas.paint(_stroke(x, y, (0.0, -0.56), (0.05, -0.80), 0.026), (0.40, 0.28, 0.15), 0.04, 0.1, shadow=False)


def _lemon(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    body = _blend(_ellipse(x, y, 0.56, 0.42), _ellipse(np.abs(x) - 0.54, y, 0.14, 0.10), 0.12)
    canvas.paint(body, (0.97, 0.84 + rng.uniform(-0.05, 0.03), 0.20), 0.42, 0.35)


def _plum(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    crease = 0.05 * np.exp(-(((x - 0.10 * (1.0 - y**2)) / 0.07) ** 2))
    canvas.paint(_ellipse(x, y, 0.46, 0.56) + crease, (0.40, 0.17 + rng.uniform(0.0, 0.06), 0.46), 0.5, 0.45)
    canvas.paint(_stroke(x, y, (0.02, -0.50), (0.04, -0.70), 0.024), (0.36, 0.26, 0.15), 0.04, 0.1, shadow=False)


def _cherry(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    top = (0.10, -0.66)
    color = (0.66, 0.05 + rng.uniform(0.0, 0.06), 0.12)
    for cx, cy in ((-0.30, 0.28), (0.32, 0.34)):
        canvas.paint(np.hypot(x - cx, y - cy) - 0.29, color, 0.29, 0.65)
    for cx, cy in ((-0.30, 0.02), (0.32, 0.08)):
        canvas.paint(_stroke(x, y, (cx, cy), top, 0.02), (0.34, 0.50, 0.20), 0.03, 0.1, shadow=False)
    _leaf(canvas, x, y, 0.30, -0.66, -0.2)


def _banana(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    angle = np.clip(np.arctan2(y + 0.62, x), 0.42, math.pi - 0.42)
    taper = 0.185 - 0.12 * (np.abs(angle - math.pi / 2.0) / 1.15) ** 3
    d = np.hypot(x - 0.78 * np.cos(angle), y + 0.62 - 0.78 * np.sin(angle)) - taper
    canvas.paint(d, (0.98, 0.83 + rng.uniform(-0.05, 0.03), 0.28), 0.18, 0.25)
    for side in (-1.0, 1.0):
        end = (side * 0.78 * math.cos(0.40), -0.62 + 0.78 * math.sin(0.40))
        canvas.paint(np.hypot(x - end[0], y - end[1]) - 0.06, (0.36, 0.27, 0.12), 0.06, 0.1, shadow=False)


def _orange(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    pores = 0.0015 * np.sin(46.0 * x + 3.0 * np.sin(23.0 * y)) * np.sin(44.0 * y)
    canvas.paint(np.hypot(x, y) - 0.55 + pores, (0.96, 0.53 + rng.uniform(-0.04, 0.04), 0.10), 0.5, 0.35)
    canvas.paint(np.hypot(x - 0.06, y + 0.34) - 0.045, (0.33, 0.48, 0.18), 0.05, 0.1, shadow=False)


def _kiwi(canvas: _Canvas, x: Field, y: Field, rng: np.random.Generator) -> None:
    canvas.paint(_ellipse(x, y, 0.56, 0.46), (0.47, 0.36 + rng.uniform(-0.03, 0.03), 0.20), 0.44, 0.1)
    cut = _ellipse(x, y, 0.49, 0.39)
    theta = np.arctan2(y, x)
    canvas.paint(cut, (0.55, 0.76, 0.24), 0.08, 0.1, shadow=False)
    seeds = np.hypot(((theta / (2.0 * math.pi) * 22.0) % 1.0 - 0.5) * 0.10, np.hypot(x / 1.2, y) - 0.23) - 0.022
    canvas.paint(seeds, (0.10, 0.10, 0.08), 0.03, 0.1, shadow=False)
    canvas.paint(_ellipse(x, y, 0.17, 0.13), (0.90, 0.92, 0.72), 0.08, 0.1, shadow=False)


_BODIES: dict[str, Callable[[_Canvas, Field, Field, np.random.Generator], None]] = {
    "apple": _apple,
    "banana": _banana,
    "cherry": _cherry,
    "kiwi": _kiwi,
    "lemon": _lemon,
    "orange": _orange,
    "pear": _pear,
    "plum": _plum,
}
FRUIT = tuple(_BODIES)


def picture(fruit: str, rng: np.random.Generator) -> bytes:
    """Return a PNG file of one fruit, lying at random on the belt."""
    canvas = _Canvas(rng)
    place = rng.uniform(-0.12, 0.12, 2)
    x, y = canvas.turned(rng.uniform(-0.7, 0.7), rng.uniform(0.85, 1.08), place[0], place[1])
    _BODIES[fruit](canvas, x, y, rng)
    return canvas.file()
