#!/usr/bin/env -S python3 -S
"""
The picture of the report in the README is what the report draws: docs/report.svg has the chart "Where time went" of
the first experiment, for both of its regions.

    picture.py NUMACHINE HOME [--write]

Chromium draws it as it draws the page; skipped (77) where there is none (Debian: chromium).
"""
import html
import pathlib
import re
import subprocess
import sys
import tempfile

import skip

REGIONS = ("adjacent", "padded")
CHOOSE = """
<script>
addEventListener('load', () => {
  const select = document.getElementById('region');
  select.value = [...select.options].findIndex(option => option.textContent === 'REGION');
  select.dispatchEvent(new Event('change'));
});
</script>
"""
WIDTH, CHART, GAP, TOP = 1180, 560, 20, 84  # of the picture and its parts


def dom(page, region, scratch):
    """The section "Where time went" for a region."""
    file = scratch / f"{region}.html"
    file.write_text(page.replace("</body>", CHOOSE.replace("REGION", region) + "</body>"))
    words = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,2000",
             "--virtual-time-budget=4000", f"--user-data-dir={scratch}/browser", "--dump-dom", file.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=True, errors="replace")
    return re.search(r'<section id="time".*?</section>', done.stdout, re.S)[0]


def colours(home):
    """The light ones of the page."""
    light = (home / "page/report.css").read_text().split("}")[0]
    return dict(re.findall(r"--([a-z-]+): ([^;]+);", light))


def as_here(attribute, width):
    """A number of the page's chart, whose bars are between 52 and its width, as it is here."""
    scale, value = (CHART - 46) / (width - 52), float(attribute[2])
    if value < 52 and attribute[1] == "x":
        scale = 1  # labels in front of the axis: letters are as large
    return f'{attribute[1]}="{value * scale if attribute[1] == "width" else 46 + (value - 52) * scale:.2f}"'


def chart_of(section, x, region):
    svg = re.search(r"<svg viewBox=\"0 0 (\d+) (\d+)\".*?>(.*?)</svg>", section, re.S)
    inside = re.sub(r' aria-label="[^"]*"', "", svg[3]).replace("></rect>", "/>").replace("></line>", "/>")
    inside = re.sub(r'\b(x|x1|x2|width)="([-0-9.e]+)"', lambda number: as_here(number, int(svg[1])), inside)
    return (f'<text class="head" x="{x}" y="{TOP - 14}">{region}</text>\n'
            f'<g font-size="11.5" transform="translate({x} {TOP})">\n' + inside.replace("><", ">\n<") + "\n</g>\n", int(svg[2]))


def legend_of(section, y):
    out, x, row = [], GAP, 0
    for colour, text in re.findall(r'<li><i style="background:([^"]+)"></i>([^<]+)</li>', section):
        text = html.unescape(text)
        width = 26 + 6.9 * len(text)
        if x + width > WIDTH - GAP:
            x, row = GAP, row + 1
        out.append(f'<rect x="{x:.0f}" y="{y + 22 * row}" width="11" height="11" rx="3" fill="{colour}"/>\n'
                   f'<text class="soft" x="{x + 17:.0f}" y="{y + 22 * row + 10}">{html.escape(text)}</text>\n')
        x += width + 14
    return "".join(out), y + 22 * row + 24


def picture(sections, home):
    parts = [chart_of(sections[region], GAP + i * (CHART + GAP), region) for i, region in enumerate(REGIONS)]
    legend, height = legend_of(sections[REGIONS[0]], TOP + parts[0][1] + 14)
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-size="13" '
            "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n"
            "<title>Where time went in the first experiment, from the report</title>\n"
            "<style>text { fill: var(--ink); } .soft { fill: var(--soft); } .grid { stroke: var(--line); } "
            ".title { font-size: 19px; font-weight: 600; } .head { font-size: 15px; font-weight: 600; }</style>\n"
            '<rect width="100%" height="100%" rx="10" fill="var(--card)" stroke="var(--line)"/>\n'
            f'<text class="title" x="{GAP}" y="36">Where time went, by processor</text>\n'
            + "".join(part for part, _ in parts) + legend + "</svg>\n")
    light = colours(home)
    return re.sub(r"var\(--([a-z-]+)\)", lambda name: light[name[1]], text)


def main():
    numachine, home = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    kept = home / "docs/report.svg"
    skip.need("chromium", "chromium")
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        for words in (["run", "-q", "-o", "run", home / "experiments/first-light.yaml"], ["report", "run"]):
            subprocess.run([numachine, *words], cwd=scratch, check=True, capture_output=True, timeout=600)
        page = (scratch / "run/report.html").read_text()
        drawn = picture({region: dom(page, region, scratch) for region in REGIONS}, home)
    if sys.argv[3:] == ["--write"]:
        kept.write_text(drawn)
    elif kept.read_text() != drawn:
        sys.exit("docs/report.svg is not what the report draws: tests/picture.py build/cli/numachine . --write")


main()
