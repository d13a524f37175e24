"""What stands where on a figure: the outlines of its texts, and whether any two of them meet."""

import math

from matplotlib.text import Text

SLACK = 0.5  # of a pixel


def texts(figure):
    """Return every text that is written on a figure."""
    return [artist for artist in figure.findobj(Text) if artist.get_visible() and artist.get_text().strip()]


def words(figure):
    """Return what is written on a figure, lines joined."""
    return [" ".join(artist.get_text().split()) for artist in texts(figure)]


def outline(artist, renderer):
    """Return the four corners of a text in pixels, turned as the text is."""
    turn = artist.get_rotation()
    tilted = turn % 90 != 0
    if tilted:
        artist.set_rotation(0)
    box = artist.get_window_extent(renderer)
    corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
    if not tilted:
        return corners
    artist.set_rotation(turn)
    x, y = artist.get_transform().transform(artist.get_position())
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return [(x + cos * (a - x) - sin * (b - y), y + sin * (a - x) + cos * (b - y)) for a, b in corners]


def separated(one, other):
    """Say whether some line parallel to an edge has two convex quadrangles on different sides."""
    for shape in (one, other):
        for (a, b), (c, d) in zip(shape, shape[1:] + shape[:1], strict=True):
            length = math.hypot(c - a, d - b)
            across = ((b - d) / length, (c - a) / length)
            mine, theirs = ([x * across[0] + y * across[1] for x, y in each] for each in (one, other))
            if max(mine) <= min(theirs) + SLACK or max(theirs) <= min(mine) + SLACK:
                return True
    return False


def check_layout(figure):
    """Check that no two texts meet and that all of them are on the paper."""
    renderer = figure.canvas.get_renderer()
    width, height = figure.get_size_inches() * figure.dpi
    outlines = [(artist.get_text(), outline(artist, renderer)) for artist in texts(figure)]
    for text, corners in outlines:
        assert all(0 <= x <= width and 0 <= y <= height for x, y in corners), f"{text!r} leaves the paper"
    for index, (text, corners) in enumerate(outlines):
        for other, others in outlines[index + 1 :]:
            assert separated(corners, others), f"{text!r} and {other!r} meet"


def check_drawn(figure):
    """Check the layout; only a drawn figure knows where the numbers at its axes are, and which of them are in view."""
    figure.canvas.draw()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low * 0.9999 <= tick.get_loc() <= high * 1.0001:
                    tick.set_visible(False)
                    tick.label1.set_visible(False)
    check_layout(figure)
