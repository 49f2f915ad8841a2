/*
 * A recorded transaction: the chart, which draws only what is in view, and beside it what the chosen row says, the
 * states of its line, and the queues. All that is shown follows from one number: the chosen row, or a moment behind it.
 */
const NAME = 'watch';

/* ---- the recording ---------------------------------------------------------------------------- */

/* The members of a row, as watch/page.c writes them; and what some of them may be. */
const KIND = 0, AT = 1, UNTIL = 2, OF = 3, STATION = 4, MODULE = 5, TO = 6, MESSAGE = 7, AGENT = 8, BEFORE = 9, AFTER = 10,
  CARDS = 11, STATIONS = 12, NACKS = 13, GIVEN_UP = 14, SAYS = 15, QUEUES = 16, LINE = 17;
const BUS = 0, RING = 1, ROW = 2, REFUSED = 3, OVER = 4;
const MEMORY = 4, NETWORK = 5, BUS_LANE = 6, RINGS_LANE = 7;
const rows = D.rows;
const isMessage = r => r[KIND] === BUS || r[KIND] === RING;
const laneOf = new Map(D.lanes.map(([station, module], i) => [module === RINGS_LANE ? 'rings' : station + '.' + module, i]));
const lane = (station, module) => laneOf.get(module === RINGS_LANE ? 'rings' : station + '.' + module);
const longName = (station, module) => module < MEMORY ? `card ${module} of station ${station}` : `${module === MEMORY ? 'memory' : 'network card'} of station ${station}`;
const bits = mask => [0, 1, 2, 3, 4, 5].filter(b => mask >> b & 1);

/* The lanes that a message begins and ends at. One that goes round the rings comes from there. */
function ends(r) {
  if (r[KIND] === BUS) return [lane(r[STATION], r[MODULE]), bits(r[TO]).map(module => lane(r[STATION], module))];
  const from = r[STATION] < 0 || r[STATION] === r[TO] ? lane(0, RINGS_LANE) : lane(r[STATION], NETWORK);
  return [from, [r[TO] < 0 ? lane(0, RINGS_LANE) : lane(r[TO], NETWORK)]];
}

/* What the message does where it arrives: the rows that it makes fire there, or that it is passed on. */
function follows(i) {
  const r = rows[i], found = [], at = r[KIND] === BUS ? bits(r[TO]).map(module => [r[STATION], module]) : [[r[TO], NETWORK]];
  for (let k = i + 1; k < rows.length && k < i + 400 && found.length < at.length; k++) {
    const next = rows[k];
    if ((next[KIND] === ROW || next[KIND] === REFUSED) && next[AT] >= r[UNTIL] && next[MESSAGE] === r[MESSAGE] && next[OF] === r[OF] &&
        at.some(([station, module]) => next[STATION] === station && next[MODULE] === module))
      found.push(k);
    else if (isMessage(next) && next[AT] >= r[UNTIL] && next[MESSAGE] === r[MESSAGE] && next[OF] === r[OF] &&
        at.some(([station, module]) => next[STATION] === station && next[MODULE] === module))
      break;
  }
  return found;
}

/* The states of the agents: for each line and lane a list of [row, state], the first one from the begin on. */
const agents = [...new Set(rows.map(r => r[LINE]))].map(() => new Map());
const lines = [...new Set(rows.map(r => r[LINE]))];
const lineNumber = new Map(lines.map((line, i) => [line, i]));
rows.forEach((r, i) => {
  const at = r[KIND] === ROW || (r[KIND] === OVER && r[GIVEN_UP]) ? lane(r[STATION], r[MODULE]) : undefined;
  if (at === undefined) return;
  const map = agents[lineNumber.get(r[LINE])];
  if (!map.has(at)) map.set(at, { agent: r[KIND] === OVER ? 0 : r[AGENT], list: [[-1, r[KIND] === OVER ? 0 : r[BEFORE]]] });
  const list = map.get(at).list;
  list.push([i, r[KIND] === OVER ? D.states[0][list[list.length - 1][1]][2] & 3 : r[AFTER]]);
});
function stateAt(list, row) {
  let low = 0, high = list.length;
  while (low + 1 < high) { const middle = low + high >> 1; if (list[middle][0] <= row) low = middle; else high = middle; }
  return list[low];
}

/* Colours of states: nothing, shared, exclusive, dirty, waiting; of directories not valid, locked, valid, both. */
const LOOKS = ['--idle', '--read', '--good', '--mp', '--primary', '--primary', '--primary', '--primary', '--slept', '--primary', '--read', '--primary'];
const styles = new Map(); /* of one drawing */
const style = name => styles.get(name) || styles.set(name, getComputedStyle(root).getPropertyValue(name).trim()).get(name);
const lookOf = (agent, state) => LOOKS[D.states[agent][state][2]];

/* ---- moments and where they are -------------------------------------------------------------- */

function last(list, value, of) { /* the last one not greater; -1: there is none */
  let low = -1, high = list.length;
  while (low + 1 < high) { const middle = low + high >> 1; if (of(list[middle]) <= value) low = middle; else high = middle; }
  return low;
}

/* Time goes downwards, not to scale: where something happens there is room for it. What is shown is all, or one request:
   its rows, and the components that they speak of. */
const LEAST = 17, MOST = 46, HEAD = 14, STRETCH = 1.8;
let only = 0, shownRows, ticks, ys, placeOf, bottom, column, columns;
/* Gives each tick its place. A short chart is stretched to the height there is, within reason. */
function place(height) {
  const room = ticks.map((tick, i) => i ? Math.max(LEAST, Math.min(MOST, tick - ticks[i - 1])) : 0);
  const least = room.reduce((sum, more) => sum + more, 0), stretch = Math.max(1, Math.min(STRETCH, (height - HEAD - MOST) / least || 1));
  let y = HEAD;
  ys = Float64Array.from(room, more => { y += more * stretch; return y; });
  bottom = y + MOST;
  placeOf = new Map(ticks.map((tick, i) => [tick, ys[i]]));
}
function arrange(transaction) {
  only = transaction;
  shownRows = rows.map((_, i) => i).filter(i => !only || rows[i][OF] === only);
  const all = shownRows.flatMap(i => [rows[i][AT], rows[i][UNTIL]]).concat(D.over === null ? [] : [D.over], rows.length ? [] : [0]);
  ticks = [...new Set(all)].sort((a, b) => a - b);
  place(0);
  const used = new Set(shownRows.flatMap(i => {
    if (!isMessage(rows[i])) return [lane(rows[i][STATION], rows[i][MODULE])];
    const [from, to] = ends(rows[i]);
    return [from, ...to, rows[i][KIND] === BUS ? lane(rows[i][STATION], BUS_LANE) : lane(0, RINGS_LANE)];
  }));
  columns = D.lanes.map((_, i) => i).filter(i => used.has(i));
  column = new Map(columns.map((of, i) => [of, i]));
}
arrange(0);
function yAt(tick) {
  const i = Math.max(0, last(ticks, tick, t => t));
  const more = i + 1 < ticks.length ? (tick - ticks[i]) / (ticks[i + 1] - ticks[i]) : 0;
  return ys[i] + Math.max(0, more) * ((i + 1 < ticks.length ? ys[i + 1] : ys[i]) - ys[i]);
}
const tickAt = where => ticks[Math.max(0, last(ys, where, v => v))];

/* ---- what is chosen -------------------------------------------------------------------------- */

let chosen = 0, now = rows.length ? rows[0][AT] : 0;
function choose(row, tick) {
  chosen = Math.max(0, Math.min(rows.length - 1, row));
  now = tick === undefined ? rows[chosen][AT] : tick;
  if (only && rows[chosen][OF] && rows[chosen][OF] !== only) {
    arrange(rows[chosen][OF]);
    resize();
  }
  showSoon();
}
function step(by, wanted) {
  let i = chosen + by;
  while (i >= 0 && i < rows.length && !(wanted(rows[i]) && (!only || rows[i][OF] === only))) i += by;
  if (i >= 0 && i < rows.length) choose(i);
}
const stepRow = by => step(by, () => true);
const stepMessage = by => step(by, isMessage);
function stepCycle(by) {
  const tick = Math.max(ticks[0], Math.min(ticks[ticks.length - 1], now + by));
  choose(shownRows[Math.max(0, last(shownRows, tick, i => rows[i][AT]))], tick);
}
const firsts = [];
rows.forEach((r, i) => { if (r[OF] && firsts[r[OF]] === undefined) firsts[r[OF]] = i; });
const begins = firsts.filter(i => i !== undefined).sort((a, b) => a - b);
function stepTransaction(by) {
  const here = last(begins, chosen, i => i), next = by > 0 ? here + 1 : begins[here] < chosen ? here : here - 1;
  if (next >= 0 && next < begins.length) choose(begins[next]);
}

/* ---- the chart ------------------------------------------------------------------------------- */

const AXIS = Math.max(50, 14 + 7 * (rows.length ? grouped(rows[rows.length - 1][UNTIL]).length : 0)), NARROWEST = 28, RIGHT = 14;
const headCanvas = el('canvas', { 'aria-hidden': 'true' }), canvas = el('canvas', { 'aria-hidden': 'true' });
const spacer = el('div'), scroll = el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Message sequence chart: components side by side, PCycles downwards. Arrow keys step through it.' }, [canvas, spacer]);
let width = 0, height = 0, each = 0, left = 0, shapes = [];
const xOf = i => AXIS + each * (column.get(i) + 0.5) - left; /* NaN: a component that is not shown */

function fit(c, w, h) {
  const scale = devicePixelRatio || 1;
  c.width = Math.round(w * scale);
  c.height = Math.round(h * scale);
  c.style.width = w + 'px';
  c.style.height = h + 'px';
  const g = c.getContext('2d');
  g.setTransform(scale, 0, 0, scale, 0, 0);
  return g;
}

function drawHead() {
  const steep = each < 62, h = steep ? 62 : 28, g = fit(headCanvas, width, h);
  g.font = '600 12px system-ui, sans-serif';
  g.fillStyle = style('--ink');
  for (const i of columns) {
    if (xOf(i) < AXIS - 4 || xOf(i) > width + 9) continue;
    g.save();
    g.translate(xOf(i), h - 8);
    if (steep) g.rotate(-Math.PI / 3);
    g.textAlign = steep ? 'left' : 'center';
    g.fillText(D.lanes[i][2], 0, 0);
    g.restore();
  }
  g.fillStyle = style('--soft');
  g.font = '11px system-ui, sans-serif';
  g.textAlign = 'right';
  g.fillText('PCycles', AXIS - 4, h - 8);
}

function label(g, text, x, y, color, weight, align) {
  const alpha = g.globalAlpha;
  g.font = `${weight || 500} 11px system-ui, sans-serif`;
  g.textAlign = align || 'center';
  g.lineWidth = 3;
  g.lineJoin = 'round';
  g.strokeStyle = style('--card');
  g.globalAlpha = 1;
  g.strokeText(text, x, y);
  g.globalAlpha = alpha;
  g.fillStyle = color;
  g.fillText(text, x, y);
}

/* The longest of the texts that fits. */
function fitting(g, texts, room) {
  g.font = '500 11px system-ui, sans-serif';
  return texts.find(text => g.measureText(text).width < room) || '';
}

function arrow(g, x1, y1, x2, y2) {
  const angle = Math.atan2(y2 - y1, x2 - x1), size = 6;
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
  g.beginPath();
  g.moveTo(x2, y2);
  g.lineTo(x2 - size * Math.cos(angle - 0.45), y2 - size * Math.sin(angle - 0.45));
  g.lineTo(x2 - size * Math.cos(angle + 0.45), y2 - size * Math.sin(angle + 0.45));
  g.fill();
}

function drawMessage(g, i, r, top) {
  const [from, to] = ends(r), y1 = placeOf.get(r[AT]) - top, y2 = placeOf.get(r[UNTIL]) - top;
  const [name, plain, , data] = D.messages[r[MESSAGE]], color = i === chosen ? style('--accent') : style('--ink');
  if (r[KIND] === BUS) {
    const x = xOf(lane(r[STATION], BUS_LANE));
    g.fillStyle = style(data ? '--killslip' : '--slept');
    g.fillRect(x - 4, y1, 8, Math.max(3, y2 - y1));
  }
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = (data === 2 ? 2.4 : 1.3) + (i === chosen ? 0.8 : 0);
  let nearest = null;
  for (const target of to) {
    g.strokeStyle = g.fillStyle = color;
    arrow(g, xOf(from), y1, xOf(target), y2);
    shapes.push([i, xOf(from), y1, xOf(target), y2]);
    if (nearest === null || Math.abs(target - from) < Math.abs(nearest - from)) nearest = target;
  }
  if (nearest === null) return;
  const room = Math.abs(xOf(nearest) - xOf(from)) - 10, text = i === chosen ? fitting(g, [`${name}: ${plain}`], room) || name : fitting(g, [`${name}: ${plain}`, name], room);
  if (!text) return;
  g.save(); /* along the arrow, so that the arrow does not cross it */
  g.translate((xOf(from) + xOf(nearest)) / 2, (y1 + y2) / 2);
  g.rotate(Math.atan((y2 - y1) / (xOf(nearest) - xOf(from))));
  label(g, text, 0, -5, color, i === chosen ? 700 : 500);
  g.restore();
}

function drawRow(g, i, r, top) {
  const x = xOf(lane(r[STATION], r[MODULE])), y1 = placeOf.get(r[AT]) - top, y2 = placeOf.get(r[UNTIL]) - top;
  const color = i === chosen ? style('--accent') : r[KIND] === OVER ? style('--good') : r[KIND] === REFUSED ? style('--bad') : style('--ink');
  const text = r[KIND] === OVER ? (r[GIVEN_UP] ? 'gives up' : 'done') : r[KIND] === REFUSED ? 'refuses' : D.states[r[AGENT]][r[AFTER]][0];
  if (y2 > y1) {
    g.strokeStyle = color;
    g.lineWidth = i === chosen ? 2.4 : 1.2;
    g.strokeRect(x - 7, y1, 14, y2 - y1);
  }
  if (r[KIND] !== ROW || r[BEFORE] !== r[AFTER] || i === chosen) {
    const before = x + 70 > width;
    label(g, text, before ? x - 10 : x + 10, y1 + (r[KIND] === OVER ? 25 : 12), color, 700, before ? 'right' : 'left');
  }
  shapes.push([i, x - 8, y1 + 6, x + 8, Math.max(y1 + 8, y2)]);
}

function drawStates(g, top) {
  const begin = entry => entry[0] < 0 ? HEAD : yAt(rows[entry[0]][AT]);
  for (const [at, { agent, list }] of agents[lineNumber.get(rows[chosen][LINE])])
    for (let k = column.has(at) ? Math.max(0, last(list, top, begin)) : list.length; k < list.length && begin(list[k]) < top + height; k++) {
      const from = Math.max(begin(list[k]), top - 9), to = Math.min(k + 1 < list.length ? begin(list[k + 1]) : bottom, top + height + 9);
      g.fillStyle = style(lookOf(agent, list[k][1]));
      g.fillRect(xOf(at) - 3, from - top, 6, to - from);
    }
}

function drawAxis(g, top) {
  let free = -99;
  g.fillStyle = style('--card');
  g.fillRect(0, 0, AXIS - 3, height);
  g.font = '11px system-ui, sans-serif';
  g.textAlign = 'right';
  g.fillStyle = style('--soft');
  for (let i = Math.max(0, last(ys, top - 20, v => v)); i < ticks.length && ys[i] < top + height + 20; i++) {
    if (ys[i] - free < 12) continue;
    free = ys[i];
    g.fillText(grouped(ticks[i]), AXIS - 8, ys[i] - top + 4);
  }
}

let pending = false, stale = false;
function drawSoon() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; if (stale) show(); draw(); });
}
function showSoon() { stale = true; drawSoon(); }

function line(g, color, x1, y1, x2, y2) {
  g.strokeStyle = style(color);
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}

/* The rows in view. One that began long ago may not be over: of these a few hundred are looked at. */
function inView(top) {
  const first = Math.max(0, last(shownRows, tickAt(top) - 1, i => rows[i][AT])), found = [];
  for (let k = first; k < shownRows.length && placeOf.get(rows[shownRows[k]][AT]) <= top + height; k++) found.push(shownRows[k]);
  for (let k = first - 1; k >= 0 && k > first - 300; k--) if (placeOf.get(rows[shownRows[k]][UNTIL]) >= top) found.push(shownRows[k]);
  return found;
}

function draw() {
  styles.clear();
  const g = fit(canvas, width, height), top = scroll.scrollTop;
  shapes = [];
  left = scroll.scrollLeft;
  drawHead();
  g.clearRect(0, 0, width, height);
  g.lineWidth = 1;
  for (const i of columns) line(g, '--line', xOf(i), 0, xOf(i), height);
  if (!rows.length) { label(g, 'no message: the access stays in its card', width / 2, 40, style('--soft')); return; }
  drawStates(g, top);
  g.setLineDash([4, 3]);
  line(g, '--accent', AXIS, yAt(now) - top, width, yAt(now) - top);
  if (D.over !== null) line(g, '--good', AXIS, placeOf.get(D.over) - top, width, placeOf.get(D.over) - top);
  g.setLineDash([]);
  const about = rows[chosen][LINE], visible = inView(top);
  for (const messages of [true, false])
    for (const i of visible) {
      const r = rows[i];
      if (isMessage(r) !== messages) continue;
      g.globalAlpha = r[LINE] !== about ? 0.25 : r[AT] <= now || i === chosen ? 1 : 0.6;
      if (messages) drawMessage(g, i, r, top); else drawRow(g, i, r, top);
    }
  g.globalAlpha = 1;
  drawAxis(g, top);
}

function resize() {
  width = scroll.clientWidth;
  height = scroll.clientHeight;
  place(height);
  each = Math.max(NARROWEST, (width - AXIS - RIGHT) / Math.max(1, columns.length));
  spacer.style.height = Math.max(0, bottom - height) + 'px';
  spacer.style.width = Math.max(0, AXIS + each * columns.length + RIGHT - 1) + 'px';
  draw();
}
scroll.addEventListener('scroll', drawSoon, { passive: true });

/* ---- what lies under the pointer ------------------------------------------------------------- */

function under(event) {
  const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
  let best = null, near = 9;
  for (const [i, x1, y1, x2, y2] of shapes) {
    const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
    const along = length ? Math.max(0, Math.min(1, ((px - x1) * dx + (py - y1) * dy) / length)) : 0;
    const distance = Math.hypot(px - x1 - along * dx, py - y1 - along * dy);
    if (distance < near) { near = distance; best = i; }
  }
  return best;
}

const spoken = i => { const r = rows[i]; return r[SAYS] < 0 ? '' : D.says[r[SAYS]].join('\n'); };
function hover(i) {
  const r = rows[i];
  if (!isMessage(r)) return `${whereOf(r)}\n${spoken(i) || overText(r)}`;
  const [name, plain, purpose] = D.messages[r[MESSAGE]], then = follows(i)[0];
  return `${name}: ${plain}\n${purpose}` + (then === undefined ? '' : `\n→ ${longName(rows[then][STATION], rows[then][MODULE])}: ${spoken(then)}`);
}
canvas.addEventListener('mousemove', e => {
  const i = under(e);
  canvas.style.cursor = i === null ? '' : 'pointer';
  tip.style.display = i === null ? 'none' : 'block';
  if (i === null) return;
  tip.textContent = hover(i);
  tip.style.left = Math.max(4, Math.min(innerWidth - tip.offsetWidth - 8, e.clientX + 14)) + 'px';
  tip.style.top = Math.max(4, Math.min(innerHeight - tip.offsetHeight - 8, e.clientY + 16)) + 'px';
});
canvas.addEventListener('mouseleave', () => { tip.style.display = 'none'; });
canvas.addEventListener('click', e => { const i = under(e); if (i !== null) choose(i); });

/* ---- beside the chart ------------------------------------------------------------------------ */

const saysNode = el('div', { class: 'panel', 'aria-live': 'polite' }), aroundNode = el('div', { class: 'panel' }),
  statesNode = el('div', { class: 'panel' }), queuesNode = el('div', { class: 'panel' });
const spanOf = r => r[UNTIL] > r[AT] ? `PCycles ${grouped(r[AT])} to ${grouped(r[UNTIL])}` : `PCycle ${grouped(r[AT])}`;
function whereOf(r) {
  if (r[KIND] === BUS) return `${longName(r[STATION], r[MODULE])} → ${bits(r[TO]).map(module => longName(r[STATION], module)).join(', ')}, over the bus of the station`;
  if (r[KIND] === RING) return `${r[STATION] < 0 ? 'a station' : 'station ' + r[STATION]} → ${r[TO] < 0 ? 'on its way' : 'station ' + r[TO]}, over the rings`;
  return longName(r[STATION], r[MODULE]);
}
const overText = r => r[GIVEN_UP] ? 'The request is given up: its store conditional can only fail.' : 'The request is over.' + (r[NACKS] ? ` It was refused ${r[NACKS]} times.` : '');

function titleOf(r) {
  if (r[KIND] !== ROW) return r[KIND] === OVER ? 'The end of a request' : 'A refusal';
  const [before, after] = [BEFORE, AFTER].map(k => D.states[r[AGENT]][r[k]][0]);
  return before === after ? `It stays ${after}` : `${before} becomes ${after}`;
}

function showSays() {
  const r = rows[chosen], of = r[OF] ? el('p', { class: 'where' }, `Because of: ${D.transactions[r[OF]][0]}, PCycles ${D.transactions[r[OF]].slice(1).map(grouped).join(' to ')}`) : null;
  if (!isMessage(r)) {
    const [fired, sentence] = r[SAYS] < 0 ? [null, overText(r)] : D.says[r[SAYS]];
    saysNode.replaceChildren(...[el('h2', {}, titleOf(r)),
      el('p', { class: 'where' }, `${whereOf(r)}, ${spanOf(r)}`), fired ? el('p', { class: 'row' }, fired) : null, el('p', {}, sentence), of].filter(Boolean));
    return;
  }
  const [name, plain, purpose] = D.messages[r[MESSAGE]];
  const then = follows(chosen).slice(0, 2).flatMap(k => [el('p', { class: 'where' }, `There, in PCycle ${grouped(rows[k][AT])}: ${longName(rows[k][STATION], rows[k][MODULE])}`),
    el('p', { class: 'row' }, D.says[rows[k][SAYS]][0]), el('p', {}, D.says[rows[k][SAYS]][1])]);
  saysNode.replaceChildren(...[el('h2', {}, `${name}: ${plain}`), el('p', { class: 'where' }, `${whereOf(r)}, ${spanOf(r)}`),
    el('p', {}, purpose), ...then, of].filter(Boolean));
}

function showAround() {
  const messages = [];
  const here = last(shownRows, chosen, i => i);
  for (let k = here; k >= 0 && messages.length < 5; k--) if (isMessage(rows[shownRows[k]])) messages.unshift(shownRows[k]);
  for (let k = here + 1; k < shownRows.length && messages.length < 11; k++) if (isMessage(rows[shownRows[k]])) messages.push(shownRows[k]);
  aroundNode.replaceChildren(el('h3', {}, 'Messages'), el('ol', { class: 'around' }, messages.map(i => el('li', {}, el('button', { type: 'button', 'aria-current': i === chosen ? 'true' : null, onclick: () => choose(i) },
    [el('span', { class: 'n' }, grouped(rows[i][AT])), el('span', {}, D.messages[rows[i][MESSAGE]][0]), el('span', {}, D.messages[rows[i][MESSAGE]][1])])))));
}

/* The masks of a directory's last row. */
function masksOf(row) {
  const r = rows[row];
  if (!r || r[KIND] !== ROW || !r[AGENT]) return '';
  return [r[CARDS] ? 'cards ' + bits(r[CARDS]).join(', ') : '', r[STATIONS] >= 0 ? 'stations ' + D.stations[r[STATIONS]] : ''].filter(Boolean).join('; ');
}

let statesKey = '';
function showStates() {
  const about = rows[chosen][LINE], list = [...agents[lineNumber.get(about)]].filter(([at]) => column.has(at))
    .sort((a, b) => (b[1].agent === 1) - (a[1].agent === 1) || a[0] - b[0]).map(([at, { agent, list: states }]) => [at, agent, ...stateAt(states, chosen)]);
  const key = about + JSON.stringify(list) + list.some(entry => entry[2] === chosen);
  if (key === statesKey) return;
  statesKey = key;
  statesNode.replaceChildren(el('h3', {}, `States of line ${D.lines[about]}`), el('div', { class: 'table', tabindex: 0 }, el('table', {}, [
    el('thead', {}, el('tr', {}, ['who', 'state', 'which means'].map(text => el('th', { scope: 'col' }, text)))),
    el('tbody', {}, list.map(([at, agent, since, state]) => {
      const [name, sentence] = D.states[agent][state], masks = masksOf(since);
      return el('tr', { class: since === chosen ? 'changed' : null }, [el('td', {}, D.lanes[at][2]),
        el('td', {}, [el('span', { class: 'chip', style: `background: var(${lookOf(agent, state)})` }), name]),
        el('td', {}, sentence + (masks ? ` [${masks}]` : ''))]);
    }))])));
}

/* The depths that a station had when it was heard of last. */
function showQueues() {
  const stations = new Map(), bar = n => el('span', {}, [el('i', { style: `width: ${Math.min(60, 8 * n)}px` }), ' ' + n]);
  for (let i = chosen; i >= 0 && i > chosen - 500; i--) {
    const station = rows[i][KIND] === RING && rows[i][STATION] < 0 ? rows[i][TO] : rows[i][STATION];
    if (!stations.has(station)) stations.set(station, D.queues[rows[i][QUEUES]]);
  }
  const underWay = rows.slice(Math.max(0, chosen - 500), chosen + 1).filter(r => r[KIND] === RING && r[AT] <= now && r[UNTIL] > now).length;
  const parts = [el('b', {}, 'on the rings'), bar(underWay), el('b', {}, ''), el('span')];
  for (const [station, depth] of [...stations].sort((a, b) => a[0] - b[0])) {
    const cards = [0, 1, 2, 3].reduce((sum, c) => sum + depth[2 * c], 0), cardsOut = [0, 1, 2, 3].reduce((sum, c) => sum + depth[2 * c + 1], 0);
    for (const [name, into, out] of [['cards', cards, cardsOut], ['mem', depth[2 * MEMORY], depth[2 * MEMORY + 1]], ['net', depth[2 * NETWORK] + depth[12], depth[2 * NETWORK + 1]]])
      if (into || out || station === rows[chosen][STATION])
        parts.push(el('b', {}, `${station}.${name} in`), bar(into), el('b', {}, 'out'), bar(out));
  }
  queuesNode.replaceChildren(el('h3', {}, 'Queues [packets]'), el('div', { class: 'queues' }, parts));
}

/* ---- the bar --------------------------------------------------------------------------------- */

const slider = el('input', { type: 'range', min: 0, max: Math.max(0, rows.length - 1), value: 0, 'aria-label': 'Step', oninput: e => choose(+e.target.value) });
const position = el('output', {});
const alone = el('input', { type: 'checkbox', id: 'only', onchange: e => { arrange(e.target.checked ? rows[chosen][OF] : 0); resize(); showSoon(); } });
let playing = null;
const play = el('button', { type: 'button', id: 'play', title: 'Step by step, by itself', onclick: () => {
  if (playing) { clearInterval(playing); playing = null; } else playing = setInterval(() => { if (chosen + 1 < rows.length) stepRow(1); else play.click(); }, 700);
  play.textContent = playing ? 'Stop' : 'Play';
} }, 'Play');
const pair = (name, go) => el('span', { class: 'pair' }, [el('button', { type: 'button', 'aria-label': `${name} back`, onclick: () => go(-1) }, '◀'), el('span', {}, name), el('button', { type: 'button', 'aria-label': `${name} on`, onclick: () => go(1) }, '▶')]);

function showPosition() {
  slider.value = chosen;
  slider.setAttribute('aria-valuetext', `step ${chosen + 1} of ${rows.length}, PCycle ${now}`);
  position.textContent = `step ${grouped(chosen + 1)} of ${grouped(rows.length)}, PCycle ${grouped(now)}`;
}

function keepInView() {
  const where = yAt(now), top = scroll.scrollTop, r = rows[chosen], x = AXIS + each * (column.get(isMessage(r) ? ends(r)[0] : lane(r[STATION], r[MODULE])) + 0.5);
  if (where < top + 40 || where > top + height - 70) scroll.scrollTop = Math.max(0, where - height * 0.35);
  if (x < scroll.scrollLeft + AXIS + 40 || x > scroll.scrollLeft + width - 40) scroll.scrollLeft = Math.max(0, x - width / 2);
}

function show() {
  stale = false;
  keepInView();
  showPosition();
  showSays();
  showAround();
  showStates();
  showQueues();
}

document.addEventListener('keydown', e => {
  if (!rows.length || e.ctrlKey || e.altKey || e.metaKey || e.target.matches('input[type=range]')) return;
  const keys = { ArrowRight: () => e.shiftKey ? stepMessage(1) : stepRow(1), ArrowLeft: () => e.shiftKey ? stepMessage(-1) : stepRow(-1),
    '.': () => stepCycle(1), ',': () => stepCycle(-1), n: () => stepTransaction(1), p: () => stepTransaction(-1),
    Home: () => choose(0), End: () => choose(rows.length - 1) };
  if (e.target === scroll) Object.assign(keys, { ArrowDown: keys.ArrowRight, ArrowUp: keys.ArrowLeft });
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});

/* ---- the page -------------------------------------------------------------------------------- */

const legendOf = [['--idle', 'no copy'], ['--read', 'shared, or valid here'], ['--good', 'exclusive'], ['--mp', 'dirty: the only copy'], ['--primary', 'waiting, or locked'], ['--slept', 'not valid here']];
main.append(el('p', { class: 'lead' }, [D.sentence ? D.sentence + ' ' : '', `${D.machine}, protocol ${D.protocol}.` + (D.over === null ? '' : ` The processor goes on after ${grouped(D.over)} PCycles.`)]),
  el('div', { class: 'steps' }, [pair('step', stepRow), pair('message', stepMessage), pair('PCycle', stepCycle), pair('transaction', stepTransaction), play, el('label', { class: 'pair' }, [alone, ' this request only']), slider, position]),
  el('div', { class: 'watch' }, [
    el('div', {}, [el('div', { class: 'panel drawing' }, [headCanvas, scroll]),
      el('ul', { class: 'legend' }, legendOf.map(([color, text]) => el('li', {}, [el('i', { style: `background: var(${color})` }), text]))),
      el('p', { class: 'note' }, '1.c0 is card 0 of station 1: a processor with its caches. 1.bus is the bus of that station, 1.mem its memory with the directory, 1.net its network card with the network cache. An arrow is a message, thick if it carries the line; a box is work.'),
      el('p', { class: 'keys' }, [['← →', 'step'], ['Shift ← →', 'message'], [', .', 'PCycle'], ['p n', 'transaction'], ['Home End', 'first, last step']].flatMap(([key, text]) => [el('kbd', {}, key), ` ${text} `]))]),
    el('div', { class: 'side' }, [saysNode, aroundNode, statesNode, queuesNode])]));
redraws.push(() => resize());
new ResizeObserver(() => { if (scroll.clientWidth !== width || scroll.clientHeight !== height) resize(); }).observe(scroll);
applyTheme();
resize();
/* A link may name the step that it is about: watch.html#12. */
const linked = parseInt(location.hash.slice(1), 10);
document.querySelector('.side').hidden = !rows.length;
if (rows.length) choose(linked ? linked - 1 : 0); else position.textContent = 'nothing to step through';
root.dataset.ready = 'yes';
