# SPDX-License-Identifier: MIT
"""Draws docs/accuracy.svg: the error of each prediction, as plain SVG."""

WIDTH, HEIGHT = 960, 480
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 64, 64
LIMIT = 40  # per cent; larger errors are shown at the edge
N_BINS = (2, 4, 8, 16, 32, 64)
COLUMNS = ["pinned", *N_BINS, "mapped", "hybrid", "double-buffer"]
# The colours differ for the colour-blind, and the series differ in place.
SERIES = (("paper", "published equation", "#d55e00", -0.2),
          ("replay", "replay", "#0072b2", 0.2))


def column_of(row):
    """Returns the column of a row, or None."""
    if row.strategy == "streams":
        return COLUMNS.index(
            min(N_BINS, key=lambda n: abs(n / row.n_streams - 1)))
    if row.strategy in COLUMNS:
        return COLUMNS.index(row.strategy)
    return None


def x_of(column):
    return LEFT + (column + 0.5) * (WIDTH - LEFT - RIGHT) / len(COLUMNS)


def y_of(error):
    return TOP + (LIMIT - error) / (2 * LIMIT) * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, anchor="middle", extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>'
            f'{words}</text>')


def line(x1, y1, x2, y2, colour, extra=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}"{extra}/>')


def frame():
    """Returns the background, opaque for light and dark pages, and the axes."""
    out = [f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#fff"/>',
           f'<rect x="{LEFT}" y="{y_of(5):.1f}" width="{WIDTH - LEFT - RIGHT}"'
           f' height="{y_of(-5) - y_of(5):.1f}" fill="#e5efe5"/>',
           text(WIDTH - RIGHT - 4, y_of(5) - 4, "within 5 %", "end",
                ' fill="#3a6b3a"')]
    for error in range(-LIMIT, LIMIT + 1, 10):
        out.append(line(LEFT, y_of(error), WIDTH - RIGHT, y_of(error),
                        "#222" if error == 0 else "#ddd"))
        label = "0 %" if error == 0 else f"{error:+d} %"
        out.append(text(LEFT - 6, y_of(error) + 4, label, "end"))
    for column, name in enumerate(COLUMNS):
        out.append(text(x_of(column), HEIGHT - BOTTOM + 18, name))
    first, last = COLUMNS.index(N_BINS[0]), COLUMNS.index(N_BINS[-1])
    out.append(line(x_of(first) - 20, HEIGHT - BOTTOM + 26, x_of(last) + 20,
                    HEIGHT - BOTTOM + 26, "#888"))
    out.append(text((x_of(first) + x_of(last)) / 2, HEIGHT - BOTTOM + 42,
                    "streams, by their number n (the nearest)"))
    return out


def legend():
    out = [text(LEFT, 26, "Predicted against measured time of a round",
                "start", ' font-size="16" font-weight="bold"')]
    x = LEFT
    for _, name, colour, _ in SERIES:
        out.append(f'<circle cx="{x + 5}" cy="44" r="4" fill="{colour}"/>')
        out.append(text(x + 14, 48, name, "start"))
        x += 150
    out.append(text(x, 48, "above 0: predicted too slow; triangles: off the "
                    f"scale of ±{LIMIT} %", "start"))
    return out


def mark(x, error):
    """Returns a dot, or a triangle at the edge for an error off the scale."""
    if abs(error) <= LIMIT:
        return f'<circle cx="{x:.1f}" cy="{y_of(error):.1f}" r="2.5"/>'
    tip = y_of(LIMIT if error > 0 else -LIMIT)
    base = tip + (8 if error > 0 else -8)
    return (f'<path d="M{x:.1f} {tip:.1f}L{x - 4:.1f} {base:.1f}'
            f'L{x + 4:.1f} {base:.1f}Z"/>')


def plot(rows):
    """Returns the plot of all rows; dots lie side by side within a column."""
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
           f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'font-family="sans-serif" font-size="12" fill="#222">',
           "<title>Error of replay and of the published equation, in per cent"
           "</title>", *frame(), *legend()]
    places = 9
    step = 0.3 * (WIDTH - LEFT - RIGHT) / len(COLUMNS) / places
    for model, _, colour, shift in SERIES:
        out.append(f'<g fill="{colour}" fill-opacity="0.55">')
        for index, row in enumerate(rows):
            column, error = column_of(row), row.error(model)
            if column is None or error is None:
                continue
            x = (x_of(column + shift)
                 + (index * 4 % places - places // 2) * step)
            out.append(mark(x, error))
        out.append("</g>")
    out.append("</svg>")
    return "\n".join(out) + "\n"
