"""
Tables and figures of the laboratory, written as Markdown, CSV, LaTeX, HTML, SVG and pgfplots.

A cell is text or a number; how a number is shown is the column's business. LaTeX and HTML are whole texts of their own.
"""
import csv
import dataclasses
import html
import math

COLOURS = ["#1b6ca8", "#c2571a", "#2f7d4f", "#8a4fa3", "#a3282f", "#5c5c5c"]
MARKS = ["circle", "square", "triangle", "diamond"]


@dataclasses.dataclass
class Column:
    """A column of a table. @param shown  {}-format of its numbers"""
    name: str
    shown: str = "{}"
    number: bool = False


@dataclasses.dataclass
class Table:
    name: str      # of files
    title: str
    sentence: str  # what is compared, and over what
    columns: list
    rows: list
    links: dict = dataclasses.field(default_factory=dict)  # {text of a first cell: address}

    def shown(self):
        """Rows as people see them. None is a dash."""
        return [["-" if cell is None else column.shown.format(cell) if column.number else str(cell)
                 for column, cell in zip(self.columns, row)] for row in self.rows]


def text(name):
    return Column(name)


def count(name):
    return Column(name, "{:,.0f}", True)


def share(name):
    return Column(name, "{:.1%}", True)


def ratio(name):
    return Column(name, "{:.2f}", True)


def markdown(table):
    heading = [column.name for column in table.columns]
    rule = ["--:" if column.number else "---" for column in table.columns]
    return "\n".join("| " + " | ".join(row) + " |" for row in [heading, rule, *table.shown()]) + "\n"


def write_csv(table, directory):
    with open(directory / f"{table.name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(column.name for column in table.columns)
        writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else "" if cell is None else cell for cell in row]
                         for row in table.rows)


def _tex(words):
    for mark in "&%$#_{}":
        words = words.replace(mark, "\\" + mark)
    return words.replace("`", "").replace("~", r"\textasciitilde{}")


def latex(table):
    """A table environment for a paper; it needs package booktabs."""
    shape = "".join("r" if column.number else "l" for column in table.columns)
    lines = [" & ".join(map(_tex, row)) + r" \\" for row in table.shown()]
    return "\n".join([r"\begin{table}", r"\centering", rf"\caption{{{_tex(table.title)}. {_tex(table.sentence)}}}",
                      rf"\label{{tab:{table.name}}}", rf"\begin{{tabular}}{{{shape}}}", r"\toprule",
                      " & ".join(_tex(column.name) for column in table.columns) + r" \\", r"\midrule", *lines,
                      r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def html_table(table):
    head = "".join(f"<th{' class=n' if column.number else ''}>{html.escape(column.name)}</th>" for column in table.columns)
    body = []
    for row, shown in zip(table.rows, table.shown()):
        cells = [f"<td{' class=n' if column.number else ''}>{html.escape(cell.strip('`'))}</td>"
                 for column, cell in zip(table.columns, shown)]
        if row[0] in table.links:
            cells[0] = f'<td><a href="{html.escape(table.links[row[0]])}">{html.escape(shown[0].strip("`"))}</a></td>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (f'<section id="{table.name}"><h2>{html.escape(table.title)}</h2><p>{html.escape(table.sentence)}</p>'
            f'<div class=wide><table><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table></div></section>')


@dataclasses.dataclass
class Scatter:
    """Points with names. A logarithmic axis shows 0 at its left end."""
    name: str
    title: str
    across: str  # what the x axis is
    up: str
    points: list  # of (name, x, y)
    logarithmic: bool = False  # the x axis

    def place(self, x):
        """0 to 1 along the x axis."""
        if not self.logarithmic:
            return x
        top = max(math.log10(max(p[1], 1)) for p in self.points) or 1
        return math.log10(max(x, 1)) / top


def _mark(kind, x, y, colour):
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    if kind == "square":
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" fill="{colour}"/>'
    up = [(0, -6), (6, 5), (-6, 5)] if kind == "triangle" else [(0, -6), (6, 0), (0, 6), (-6, 0)]
    return f'<polygon points="{" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in up)}" fill="{colour}"/>'


def svg(scatter):
    """The legend has the names: points may lie on each other."""
    side, left, top = 360, 64, 20
    names = 18 * len(scatter.points)
    high = max(side + 70, names + 40)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + side + 240} {high}" width="{left + side + 240}" '
             f'role="img" font-family="sans-serif" font-size="12"><title>{html.escape(scatter.title)}</title>'
             f'<rect width="100%" height="100%" fill="white"/><rect x="{left}" y="{top}" width="{side}" height="{side}" '
             'fill="none" stroke="#999"/>']
    largest = max((p[1] for p in scatter.points), default=1)
    across = [10**k for k in range(0, int(math.log10(max(largest, 1))) + 1, 2)] if scatter.logarithmic else [0, .25, .5, .75, 1]
    for value in across:
        x = left + side * scatter.place(value)
        label = f"{value:,.0f}" if scatter.logarithmic else f"{value:.0%}"
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top + side}" y2="{top + side + 5}" stroke="#666"/>'
                     f'<text x="{x:.1f}" y="{top + side + 18}" text-anchor="middle">{label}</text>')
    for value in (0, .25, .5, .75, 1):
        y = top + side * (1 - value)
        parts.append(f'<line x1="{left - 5}" x2="{left + side}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.0%}</text>')
    parts.append(f'<text x="{left + side / 2}" y="{top + side + 38}" text-anchor="middle">{html.escape(scatter.across)}</text>'
                 f'<text transform="translate(16 {top + side / 2}) rotate(-90)" text-anchor="middle">{html.escape(scatter.up)}</text>')
    for i, (name, x, y) in enumerate(scatter.points):
        colour, mark = COLOURS[i % len(COLOURS)], MARKS[i // len(COLOURS) % len(MARKS)]
        parts.append(_mark(mark, left + side * scatter.place(x), top + side * (1 - y), colour))
        parts.append(_mark(mark, left + side + 24, top + 10 + 18 * i, colour)
                     + f'<text x="{left + side + 36}" y="{top + 14 + 18 * i}">{html.escape(name)}</text>')
    return "".join(parts) + "</svg>\n"


def pgfplots(scatter):
    """The same for a paper: a tikzpicture; it needs package pgfplots."""
    axis = "semilogxaxis" if scatter.logarithmic else "axis"
    plots = [rf"\addplot+[only marks] coordinates {{({max(x, 1) if scatter.logarithmic else x:.6g},{y:.6g})}}; "
             rf"\addlegendentry{{{_tex(name)}}}" for name, x, y in scatter.points]
    return "\n".join([r"\begin{tikzpicture}",
                      rf"\begin{{{axis}}}[xlabel={{{_tex(scatter.across)}}}, ylabel={{{_tex(scatter.up)}}}, ymin=0, ymax=1.05, "
                      r"legend pos=outer north east, legend cell align=left]", *plots, rf"\end{{{axis}}}", r"\end{tikzpicture}"]) + "\n"


STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:0 auto;padding:1rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;font-size:13px}th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}nav a{margin-right:1rem}svg{max-width:100%;height:auto}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#16181b}th,td{border-color:#3a3d42}a{color:#7db7e8}svg{background:#fff}}
@media print{nav{display:none}}"""


def page(title, introduction, parts, cited):
    """One HTML page. @param parts  tables and figures, in order; cited: texts"""
    sections = [html_table(part) if isinstance(part, Table) else
                f'<section id="{part.name}"><h2>{html.escape(part.title)}</h2>{svg(part)}</section>' for part in parts]
    index = "".join(f'<a href="#{part.name}">{html.escape(part.title)}</a>' for part in parts)
    papers = "".join(f"<li>{html.escape(paper)}</li>" for paper in cited)
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{html.escape(title)}</title><style>{STYLE}</style><h1>{html.escape(title)}</h1><p>{html.escape(introduction)}</p>"
            f"<nav>{index}</nav>{''.join(sections)}<section id=papers><h2>Papers</h2><ul>{papers}</ul></section></html>\n")
