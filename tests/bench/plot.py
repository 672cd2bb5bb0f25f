"""A plot as SVG, both axes logarithmic. Called by explore.py and growth.py."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 60, 130, 30, 45
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")


def decades(values):
    """The powers of ten around them."""
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return low, max(high, low + 1)


def text(x, y, anchor, words):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def axes(x_at, y_at, xs, ys):
    out = []
    for e in range(xs[0], xs[1] + 1):
        x = x_at(10**e)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>' + text(x, HEIGHT - BOTTOM + 16, "middle", f"{10**e:,}"))
    for e in range(ys[0], ys[1] + 1):
        y = y_at(10**e)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>' + text(LEFT - 6, y + 4, "end", f"{10.0**e:,g}"))
    return out


def draw(path, title, x_name, curves):
    """curves: name -> [(x, y)], all above 0."""
    dots = [dot for curve in curves.values() for dot in curve]
    xs, ys = decades([x for x, _ in dots]), decades([y for _, y in dots])
    x_at = lambda x: LEFT + (math.log10(x) - xs[0]) / (xs[1] - xs[0]) * (WIDTH - LEFT - RIGHT)
    y_at = lambda y: HEIGHT - BOTTOM - (math.log10(y) - ys[0]) / (ys[1] - ys[0]) * (HEIGHT - TOP - BOTTOM)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(LEFT, 18, "start", title), *axes(x_at, y_at, xs, ys),
           text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle", x_name)]
    for i, (name, curve) in enumerate(curves.items()):
        color = COLORS[i % len(COLORS)]
        at = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in curve)
        out.append(f'<polyline points="{at}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x_at(x):.1f}" cy="{y_at(y):.1f}" r="2.5" fill="{color}"/>' for x, y in curve]
        out.append(f'<g fill="{color}">' + text(WIDTH - RIGHT + 8, TOP + 12 + 16 * i, "start", name) + "</g>")
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n</svg>\n")
