#!/usr/bin/env -S python3 -S
"""
The page of numachine watch in headless Chromium, by the keyboard alone: it names every message of a dirty remote read
with a sentence and the row that it makes fire, at 390 and 1400 pixels, light and dark, and 10,000 messages do not stutter.
Skipped (77) where there is no Chromium (Debian: chromium).

    watch_browser.py NUMACHINE

The page is in a frame of a page of the test's own, which does what a reader would, and tells what it saw.
"""
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import skip

MESSAGES = 10_000
SECONDS = 300  # that a browser may take on a host that does much else
SMOOTH, WORST = 150, 2000  # [ms] for a step of scrolling, two frames; on such a host
READ = ["RD", "RD", "RD", "INTV_S", "INTV_S", "INTV_S", "DATA_S", "DATA_S", "DATA_S", "DATA_S", "DATA_S"]
OTHERS = [["--scenario", "an invalidation overtakes an upgrade"], ["--scenario", "a storm of refusals: four cards write one line"],
          ["--scenario", "a duel of two load-linked pairs"], ["--scenario", "read in the secondary cache"],
          ["--scenario", "own register, through a window that goes away too"],
          ["--scenario", "flat: write, dirty at a third station", "--set", "protocol=flat"]]
READER = """<!DOCTYPE html><html><body><script>
(async () => {
  const seen = {}, wait = ms => new Promise(done => setTimeout(done, ms)), errors = [];
  const open = (page, width) => new Promise(done => {
    const frame = document.createElement('iframe');
    frame.width = width; frame.height = 900; frame.src = page;
    frame.onload = async () => {
      const inside = frame.contentWindow;
      while (inside.document.documentElement.dataset.ready !== 'yes') await wait(20);
      done(inside);
    };
    document.body.append(frame);
  });
  const frameOf = inside => new Promise(done => inside.requestAnimationFrame(done));
  const press = async (inside, key, shiftKey, target) => {
    (target || inside.document.body).dispatchEvent(new inside.KeyboardEvent('keydown', { key, shiftKey: !!shiftKey, bubbles: true, cancelable: true }));
    await frameOf(inside); await frameOf(inside);
  };
  const cycle = inside => +inside.document.querySelector('output').textContent.match(/PCycle ([\\d,]+)/)[1].replace(/,/g, '');
  const painted = inside => {
    const canvas = inside.document.querySelector('.scroll canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return colours.size;
  };
  const look = inside => {
    const d = inside.document, side = d.querySelector('.side .panel');
    return { title: side.querySelector('h2').textContent, text: side.textContent, row: (side.querySelector('.row') || { textContent: '' }).textContent, cycle: cycle(inside),
             states: [...d.querySelectorAll('.side tbody tr')].map(tr => [...tr.children].map(td => td.textContent)) };
  };
  try {
    for (const width of [390, 1400]) {
      const inside = await open('/page', width), d = inside.document, at = seen[width] = {};
      await frameOf(inside); await frameOf(inside);
      at.wide = d.documentElement.scrollWidth - inside.innerWidth;
      at.unnamed = [...d.querySelectorAll('button, input, .scroll')].filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length))).length;
      at.unreachable = [...d.querySelectorAll('button, input, .scroll')].filter(e => e.tabIndex < 0 || e.disabled).length;
      at.outside = [...d.querySelectorAll('button, input')].filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.left < 0 || b.right > inside.innerWidth + 1); }).length;
      at.light = [d.documentElement.dataset.theme, painted(inside)];
      at.messages = [];
      for (let k = 0; k < 40; k++) {
        const before = look(inside);
        await press(inside, 'ArrowRight', true);
        const now = look(inside);
        if (now.title === before.title && now.cycle === before.cycle && now.text === before.text) break;
        at.messages.push(now);
      }
      await press(inside, 'End'); at.end = look(inside);
      await press(inside, 'Home'); at.home = look(inside);
      await press(inside, '.'); await press(inside, '.'); at.cycles = cycle(inside);
      await press(inside, ','); at.back = cycle(inside);
      await press(inside, 'ArrowDown', false, d.querySelector('.scroll')); at.down = look(inside);
      d.getElementById('theme').click(); d.getElementById('theme').click();
      await frameOf(inside); await frameOf(inside);
      at.dark = [d.documentElement.dataset.theme, painted(inside)];
      at.tips = [];
      const canvas = d.querySelector('.scroll canvas'), box = canvas.getBoundingClientRect();
      for (let y = 0; y < Math.min(500, box.height) && at.tips.length < 30; y += 3)
        for (let x = 60; x < box.width; x += 40) {
          canvas.dispatchEvent(new inside.MouseEvent('mousemove', { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
          const tip = d.querySelector('.tip');
          if (tip.style.display === 'block' && !at.tips.includes(tip.textContent)) at.tips.push(tip.textContent);
        }
      at.error = d.documentElement.dataset.error || '';
    }
    seen.others = [];
    for (let k = 0; k < COUNT; k++) {
      const inside = await open('/other/' + k, 1400), d = inside.document;
      await press(inside, 'End');
      if (d.getElementById('only').checked === false && !d.querySelector('.side').hidden) d.getElementById('only').click();
      for (const key of ['p', 'ArrowRight', 'n', 'Home', '.', ',', 'End']) await press(inside, key);
      seen.others.push([d.documentElement.dataset.error || '', d.querySelector('output').textContent, painted(inside)]);
      d.defaultView.frameElement.remove();
    }
    const many = await open('/many', 1400), scroll = many.document.querySelector('.scroll'), took = [];
    for (let k = 0; k < 60; k++) {
      const begin = performance.now();
      scroll.scrollTop = scroll.scrollHeight * k / 60;
      await frameOf(many); await frameOf(many);
      took.push(performance.now() - begin);
    }
    for (let k = 0; k < 40; k++) {
      const begin = performance.now();
      await press(many, 'ArrowRight', true);
      took.push(performance.now() - begin);
    }
    await press(many, 'End');
    seen.many = { took, end: many.document.querySelector('output').textContent, error: many.document.documentElement.dataset.error || '' };
  } catch (e) { seen.failed = String(e.stack || e); }
  await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
})();
</script></body></html>"""
DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.S)


def page_of(numachine, path, words):
    subprocess.run([numachine, "watch", *words, "--format=html", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path.read_text()


def many(page):
    """The same, again and again, until there are so many messages."""
    data = json.loads(DATA.search(page)[2])
    rows, length = data["rows"], data["over"] + 60
    messages = sum(row[0] < 2 for row in rows)
    data["over"] = None
    data["rows"] = [[row[0], row[1] + k * length, row[2] + k * length, *row[3:]] for k in range(MESSAGES // messages + 1) for row in rows]
    return DATA.sub(lambda m: m[1] + json.dumps(data) + m[3], page), sum(row[0] < 2 for row in data["rows"])


def read(pages, directory):
    """What the reader saw."""
    told, seen = threading.Event(), []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def do_POST(self):
            seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            told.set()

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with subprocess.Popen([shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1500,1000",
                           f"--user-data-dir={directory}/browser", f"http://127.0.0.1:{server.server_port}/"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        good = told.wait(SECONDS)
        browser.terminate()
    server.shutdown()
    assert good, "the browser has said nothing"
    assert "failed" not in seen[0], seen[0]["failed"]
    return seen[0]


def check_reading(at, width):
    assert not at["error"] and at["wide"] <= 0 and not at["unnamed"] and not at["unreachable"] and not at["outside"], (width, at)
    assert at["light"][0] == "light" and at["dark"][0] == "dark" and min(at["light"][1], at["dark"][1]) > 10, (at["light"], at["dark"])
    names = [message["title"].split(": ") for message in at["messages"]]
    assert [name for name, _ in names] == READ, names
    assert {plain for _, plain in names} == {"read request", "please share", "data, to be shared"}
    cycles = [message["cycle"] for message in at["messages"]]
    assert cycles == [15, 24, 48, 60, 63, 93, 117, 162, 162, 234, 246], cycles
    for message in at["messages"]:
        assert re.search(r"(Somebody wants to read|To the owner of the only|The line's data)", message["text"]), message
    fired = [message["row"] for message in at["messages"] if message["row"]]
    assert "GI, N_RD -> GI_NRD: HOLD N_INTV_S" in fired and "D, INTV_S -> S: CLEAN SEND_DATA_S" in fired and len(fired) >= 7, fired
    assert at["home"]["cycle"] == 0 and at["end"]["cycle"] == 273 and (at["cycles"], at["back"]) == (2, 1), at
    assert at["down"]["title"].startswith("RD"), at["down"]
    states = {who: state for who, state, _ in at["home"]["states"]}
    assert states == {"1.c0": "I_RD", "1.net": "N", "2.mem": "GI", "3.net": "LI", "3.c0": "D"}, states
    states = {who: state for who, state, _ in at["end"]["states"]}
    assert states == {"1.c0": "S", "1.net": "GV", "2.mem": "GV", "3.net": "GV", "3.c0": "S"}, states
    tips = "\n".join(at["tips"])
    assert "RD: read request" in tips and "GI, N_RD -> GI_NRD: HOLD N_INTV_S" in tips and "it locks the line" in tips, tips


def main():
    skip.need("chromium", "chromium")
    numachine = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="numachine-", ignore_cleanup_errors=True) as directory:
        path = pathlib.Path(directory, "watch.html")
        page = page_of(numachine, path, ["--scenario", "read, dirty at a third station"])
        others = {f"/other/{k}": page_of(numachine, path, words) for k, words in enumerate(OTHERS)}
        assert "default-src 'none'" in page and not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page.split('id="data"')[0])
        again, messages = many(page)
        assert messages >= MESSAGES
        seen = read({"/": READER.replace("COUNT", str(len(OTHERS))), "/page": page, "/many": again, **others}, directory)
    for width in ("390", "1400"):
        check_reading(seen[width], width)
    for words, (error, steps, colours) in zip(OTHERS, seen["others"]):
        assert not error and colours > 3 and ("nothing" in steps) == ("secondary" in words[1]), (words, error, steps, colours)
    took = seen["many"]["took"]
    assert not seen["many"]["error"], seen["many"]
    assert sorted(took)[len(took) // 2] < SMOOTH and max(took) < WORST, took
    assert re.match(r"step ([\d,]+) of \1,", seen["many"]["end"]), seen["many"]["end"]
    print(f"ok: {messages} messages, {sorted(took)[len(took) // 2]:.0f} ms a step, at most {max(took):.0f}")


main()
