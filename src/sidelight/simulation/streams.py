"""Seed the random numbers of a run.

Compiled loops keep every generator they have seen alive, because they do not count references. So a thread has one
generator for the world and one for the strategy, and seeds them anew for each run.
"""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from sidelight.simulation.packing import Words

WORLD, OWN = 0, 1
"""The two streams of a run: what the world draws, and what the strategy draws."""

# The constants of numpy.random.SeedSequence and of PCG64, which NumPy promises not to change.
_XOR_A, _TIMES_A = 0x43B0D7E5, 0x931E8875
_XOR_B, _TIMES_B = 0x8B51F9DD, 0x58F38DED
_LEFT, _RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_HALF = np.uint32(16)
_TIMES_PCG = 0x2360ED051FC65DA44385DF649FCCF645
_POOL, _MASK_32, _MASK_128 = 4, 2**32 - 1, 2**128 - 1


class Stream:
    """One generator that is seeded anew for each run.

    `memory` is the part of it that changes, as words that a loop can copy and set; None where this NumPy keeps it in
    another way.
    """

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.memory = _memory_of_stream_generator(self.rng.bit_generator)

    def seed(self, words: list[int]) -> None:
        """Start as `numpy.random.default_rng` does with a seed sequence that generated these four words."""
        increment = ((words[2] << 64 | words[3]) << 1 | 1) & _MASK_128
        state = ((increment + (words[0] << 64 | words[1])) * _TIMES_PCG + increment) & _MASK_128
        self.rng.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": increment},
            "has_uint32": 0,
            "uinteger": 0,
        }


def seeds(seed: int, numbers: range, stream: int) -> list[list[int]]:
    """Return `SeedSequence(seed, spawn_key=(r, stream)).generate_state(4, np.uint64)` for many runs r at once."""
    root = np.random.SeedSequence(seed)
    pool = [np.full(len(numbers), word, np.uint32) for word in root.pool]
    further = max(0, -(-int(seed).bit_length() // 32) - _POOL)  # words of the seed beyond the size of the pool
    constant = _XOR_A * pow(_TIMES_A, _POOL**2 + _POOL * further, 2**32) & _MASK_32
    for key in (np.array(numbers, np.uint32), np.full(len(numbers), stream, np.uint32)):
        for place in range(_POOL):
            following = constant * _TIMES_A & _MASK_32
            mixed = _LEFT * pool[place] - _RIGHT * _scramble_seed_words(key, constant, following)
            pool[place], constant = mixed ^ (mixed >> _HALF), following
    constant, words = _XOR_B, np.empty((len(numbers), 8), "<u4")
    for place in range(8):
        following = constant * _TIMES_B & _MASK_32
        words[:, place], constant = _scramble_seed_words(pool[place % _POOL], constant, following), following
    rows: list[list[int]] = words.view("<u8").tolist()
    return rows


def _scramble_seed_words(values: npt.NDArray[np.uint32], xor: int, times: int) -> npt.NDArray[np.uint32]:
    values = (values ^ np.uint32(xor)) * np.uint32(times)
    return values ^ (values >> _HALF)


def _memory_of_stream_generator(bits: np.random.BitGenerator) -> Words | None:
    """Return the memory of a PCG64: whether half a word is kept, that half, the state and the increment.

    NumPy's structure is a pointer to state and increment, the half word, and then, perhaps after a gap, those two.
    """
    address = bits.ctypes.state_address
    gap, rest = divmod(ctypes.c_uint64.from_address(address).value - address, 8)
    if rest or not 2 <= gap <= 4:
        return None
    words = np.ctypeslib.as_array((ctypes.c_uint64 * (gap + 3)).from_address(address + 8))
    before, copy = bits.state, words.copy()
    bits.random_raw(3)
    words[:] = copy
    return words if bits.state == before else None
