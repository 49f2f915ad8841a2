/*
 * What the pages of runs and of sweeps are made of: elements, numbers, tables, panels, colours. The page's own script
 * follows in the same function; it has NAME, what its downloads are called.
 */

/* Whoever tests the page sees here that something went wrong. */
window.addEventListener('error', e => { document.documentElement.dataset.error = e.message; });

const D = JSON.parse(document.getElementById('data').textContent);

/* ---- elements -------------------------------------------------------------------------------- */

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  for (const child of [].concat(children === undefined ? [] : children))
    if (child !== null) node.append(child);
  return node;
}
const el = (tag, attributes, children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
const words = (x, y, text, attributes) => svg('text', Object.assign({ x, y }, attributes), String(text));
const sheet = (width, height, label, children) =>
  svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label, class: width > 720 ? 'wide' : null }, children);
/* The width of a chart that takes all of the page: letters stay as large on paper and on a small screen. */
const full = () => printing ? 680 : Math.max(300, Math.min(1100, main.clientWidth - (innerWidth > 760 ? 78 : 54)));
const cut = (text, letters) => text.length > letters ? text.slice(0, Math.max(1, letters - 1)) + '…' : text;

/* ---- numbers --------------------------------------------------------------------------------- */

function grouped(n) { return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ','); }
function shown(v) {
  if (v === null || v === undefined) return '–';
  if (typeof v !== 'number') return String(v);
  if (Number.isInteger(v)) return v < 0 ? '-' + grouped(-v) : grouped(v);
  const text = Math.abs(v) >= 1000 ? v.toFixed(1) : String(Number(v.toPrecision(5)));
  return text.includes('e') ? text : text.replace(/^(-?\d+)/, (_, n) => n.startsWith('-') ? '-' + grouped(n.slice(1)) : grouped(n));
}
const percent = (some, all) => all ? 100 * some / all : 0;
const short = n => n >= 1e9 ? +(n / 1e9).toPrecision(3) + ' G' : n >= 1e6 ? +(n / 1e6).toPrecision(3) + ' M'
  : n >= 1e4 ? +(n / 1e3).toPrecision(3) + ' k' : shown(+n.toPrecision(4));
/* The numbers of one axis, the greatest of them `most`: all in the same unit. */
function axisNumbers(most) {
  const [unit, letter] = most >= 1e9 ? [1e9, ' G'] : most >= 1e6 ? [1e6, ' M'] : most >= 2e3 ? [1e3, ' k'] : [1, ''];
  return n => n ? shown(+(n / unit).toPrecision(6)) + letter : '0';
}
const unitName = unit => unit === 'cycles' ? 'bus cycles' : unit; /* beside PCycles it has to be said whose they are */
const share = (some, all) => +percent(some, all).toFixed(2); /* of a table */
const pc = v => (v >= 10 || v === 0 ? v.toFixed(0) : v.toPrecision(2)) + ' %';

/* ---- tables ---------------------------------------------------------------------------------- */

const valueOf = cell => cell !== null && typeof cell === 'object' ? cell.v : cell;

function csvOf(columns, rows) {
  // A text that a spreadsheet would take for a formula has an apostrophe in front, as in the tables of a run.
  const marked = v => typeof v === 'string' && /^[=+\-@\t\r\n＝＋－＠']/.test(v) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(v) ? "'" + v : String(v);
  const quoted = v => /[",\r\n]/.test(v) ? '"' + v.replace(/"/g, '""') + '"' : v;
  const field = v => v === null || v === undefined ? '' : quoted(marked(v));
  return [columns].concat(rows.map(row => row.map(valueOf))).map(row => row.map(field).join(',')).join('\r\n') + '\r\n';
}

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function cellOf(cell) {
  const v = valueOf(cell), number = typeof v === 'number' || v === null;
  const td = el('td', { class: number ? 'n' : String(v).length > 70 ? 'wide' : null }, shown(v));
  if (cell !== null && typeof cell === 'object')
    for (const [name, value] of Object.entries(cell)) if (name !== 'v' && name !== 'href') td.dataset[name] = value;
  if (cell && cell.href) td.replaceChildren(el('a', { href: cell.href }, shown(v)));
  if (typeof v === 'number') td.dataset.v = v;
  return td;
}

function order(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return a === b ? 0 : a === null ? 1 : b === null ? -1 : String(a).localeCompare(String(b), 'en', { numeric: true });
}

function sortBy(table, rows, column, head) {
  const down = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
  table.querySelectorAll('th').forEach(th => th.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', down < 0 ? 'descending' : 'ascending');
  const sorted = rows.slice().sort((a, b) => down * order(valueOf(a[column]), valueOf(b[column])));
  table.tBodies[0].replaceChildren(...bodyOf(sorted));
}

const MOST_ROWS = 2500; /* that are shown; a file has all of them */
const bodyOf = rows => rows.slice(0, MOST_ROWS).map(row => el('tr', {}, row.map(cellOf)));

/* A table that can be sorted by its heads and downloaded. */
function tableOf(name, columns, rows) {
  const table = el('table', {}, [el('thead', {}, el('tr')), el('tbody', {}, bodyOf(rows))]);
  columns.forEach((column, i) => {
    const number = rows.length && (typeof valueOf(rows[0][i]) === 'number' || valueOf(rows[0][i]) === null);
    const th = el('th', { scope: 'col', class: number ? 'n' : null, 'data-name': column });
    th.append(el('button', { type: 'button', onclick: () => sortBy(table, rows, i, th) }, column));
    table.tHead.rows[0].append(th);
  });
  const save = el('button', { type: 'button', onclick: () => download(`${NAME}-${name}.csv`, csvOf(columns, rows)) }, 'Download CSV');
  const more = rows.length > MOST_ROWS ? el('p', { class: 'note' }, `${grouped(MOST_ROWS)} of ${grouped(rows.length)} rows are shown; the CSV has all.`) : [];
  return [el('div', { class: 'tablebar' }, save), el('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': name }, table)].concat(more);
}

/* @param left  what the table does not have; it is said where the table is */
const behind = (name, columns, rows, title, left) =>
  el('details', {}, [el('summary', {}, `${title || 'Table'} (${grouped(rows.length)} ${rows.length === 1 ? 'row' : 'rows'})`)]
    .concat(tableOf(name, columns, rows), left ? el('p', { class: 'note' }, left) : []));

/* Under a chart of the first of many. */
const drawnOf = (drawn, all, what) => drawn < all ? el('p', { class: 'note' }, drawn === 1 ? `Drawn: the first of ${grouped(all)}.` : `Drawn: the ${grouped(drawn)} ${what}, of ${grouped(all)}.`) : null;

/* ---- parts of the page ----------------------------------------------------------------------- */

const main = document.getElementById('main'), nav = document.getElementById('nav');
const redraws = []; /* what depends on the region or the colours */
const placed = [];  /* what needs to be in the page before it can be drawn */

function section(id, title, lead) {
  const node = el('section', { id, 'aria-labelledby': id + '-h' });
  if (title) node.append(el('h2', { id: id + '-h' }, title));
  if (lead) node.append(el('p', { class: 'lead' }, lead));
  nav.append(el('a', { href: '#' + id }, title || 'Overview'));
  main.append(node);
  return node;
}

/* `draw(chosen, bar)` gives what is in the panel; again when the region, or one of its choices, changes. */
function panel(parent, title, draw, choices) {
  const bar = el('div', { class: 'bar' }, title ? el('h3', {}, title) : []), body = el('div');
  const node = el('div', { class: 'panel' }, [bar, body]), chosen = {};
  const again = () => {
    body.replaceChildren(...[].concat(draw(chosen, bar)).filter(part => part));
    if (node.isConnected) placed.splice(0).forEach(make => make());
  };
  for (const [name, label, list] of choices || []) {
    chosen[name] = list[0][0];
    const select = el('select', { onchange: e => { chosen[name] = e.target.value; again(); } },
      list.map(([value, text]) => el('option', { value }, text)));
    bar.append(el('label', { class: 'choice', 'data-choice': name }, [label, select]));
  }
  if (!bar.childNodes.length) bar.remove();
  parent.append(node);
  redraws.push(again);
  again();
  return node;
}

/* `about:` of an experiment, paragraph by paragraph. */
const about = text => text ? String(text).trim().split(/\n\s*\n/).map(part => el('p', { class: 'lead' }, part.replace(/\s+/g, ' '))) : [];
const command = argv => argv ? [el('code', { class: 'command', tabindex: 0 }, argv.join(' '))] : [];
const numachine = version => [version.version, version.git, version.compiler].filter(Boolean).join(', ');
const factList = list => el('dl', { class: 'facts' }, list.filter(([, v]) => v !== undefined && v !== null && v !== '')
  .flatMap(([k, v]) => [el('dt', {}, k), el('dd', { class: /hash/.test(k) ? 'mono' : null }, String(v))]));

/* An expectation that was not kept, as a sentence. */
function broken(e) {
  const points = e.points || [], words = { at_least: 'at least ', at_most: 'at most ', is: 'exactly ' };
  const subject = e.of.map((m, i) => m.stat + (m.region === 'whole' ? '' : ` of region ${m.region}`) + (points.length > 1 ? ` at ${points[i]}` : '')).join(' / ');
  const bounds = Object.entries(e.bounds).map(([name, value]) => (words[name] || '') + value).join(' and ');
  return `Expected ${subject} to be ${bounds}; ${e.value === null ? e.why : 'it is ' + e.value} (${e.where}${points.length === 1 ? `, point ${points[0]}` : ''}).`;
}

const legend = list => el('ul', { class: 'legend' },
  list.map(([color, text]) => el('li', {}, [el('i', { style: `background:${color}` }), text])));
const heatScale = (low, high) => el('p', { class: 'note' }, [low, el('span', { class: 'scale' }), high]);
const heat = share => `rgb(var(--heat), ${share <= 0 ? 0 : (0.06 + 0.94 * Math.min(1, share)).toFixed(3)})`;
const contrast = share => share > 0.55 && !isDark() ? '#ffffff' : isDark() && share > 0.55 ? '#10161c' : 'var(--ink)';

const tip = document.body.appendChild(el('div', { class: 'tip' }));
/* Text beside the pointer, and for readers of the screen. */
function hint(node, text) {
  const at = e => { tip.style.left = Math.min(e.clientX + 12, innerWidth - 350) + 'px'; tip.style.top = e.clientY + 14 + 'px'; };
  node.addEventListener('mousemove', e => { tip.textContent = text; tip.style.display = 'block'; at(e); });
  node.addEventListener('mouseleave', () => { tip.style.display = 'none'; });
  if (node.namespaceURI.endsWith('svg')) node.setAttribute('aria-label', text);
  return node;
}

/* ---- axes and lines --------------------------------------------------------------------------- */

/* The round step of which `range` has `most` at most. */
function stepOf(range, most) {
  if (!(range > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(range / most));
  return +(power * [1, 2, 5, 10].find(n => n * power >= range / most * 0.9999)).toPrecision(1);
}
const multiples = (step, first, last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => +((first + k) * step).toPrecision(12));
/* Round ticks: from 0 to the first that is no less than `max`, and all that lie between two places. */
function ticksTo(max) { const step = stepOf(max, 5); return multiples(step, 0, Math.max(1, Math.ceil(max / step * 0.9999))); }
function ticksWithin(from, to, most) { const step = stepOf(to - from, most); return multiples(step, Math.ceil(from / step), Math.floor(to / step)); }

/* Axis lines and their numbers at the left. @param unit  of each number @param name  of the axis */
function scaleY(top, height, left, width, ticks, unit, name) {
  const out = [], max = ticks[ticks.length - 1], number = axisNumbers(max);
  for (const tick of ticks) {
    const y = top + height - height * tick / max;
    out.push(svg('line', { class: 'grid', x1: left, x2: width, y1: y, y2: y }));
    out.push(words(left - 6, y + 4, number(tick) + (unit || ''), { class: 'soft', 'text-anchor': 'end' }));
  }
  if (name) out.push(words(0, top - 12, name, { class: 'soft' }));
  return out;
}

/* Numbers under an axis from `from` to `to`, whose places are `x`. */
function scaleX(from, to, x, y, name) {
  const ticks = ticksWithin(from, to, full() > 600 ? 6 : 3), number = axisNumbers(to);
  return ticks.map(t => words(x(t), y, number(t), { class: 'soft', 'text-anchor': t === from ? 'start' : x(t) > x(to) - 24 ? 'end' : 'middle' }))
    .concat(words(x(to), y + 16, name, { class: 'soft', 'text-anchor': 'end' }));
}

/* Bars to the right, a row for each of `list`. parts: [name, colour, what of a row it is] */
function rowBars(list, label, nameOf, parts, endOf) {
  const width = full(), left = Math.min(320, Math.round(width * 0.36)), high = 22, out = [];
  const most = Math.max(1, ...list.map(row => parts.reduce((n, [, , value]) => n + Math.max(0, value(row)), 0)));
  list.forEach((row, i) => {
    const name = nameOf(row);
    let x = left;
    out.push(hint(words(left - 10, i * high + 15, cut(name, Math.floor((left - 10) / 6.4)), { 'text-anchor': 'end' }), name));
    for (const [part, fill, value] of parts) {
      const w = (width - left - 76) * Math.max(0, value(row)) / most;
      if (w > 0.1) out.push(hint(svg('rect', { x, y: i * high + 3, width: w, height: high - 6, fill }), `${name}\n${part}: ${grouped(value(row))} PCycles`));
      x += w;
    }
    out.push(words(x + 6, i * high + 15, endOf(row), { class: 'soft' }));
  });
  return el('div', { class: 'chart' }, sheet(width, list.length * high + 4, label, out));
}

/* How far apart labels under bars must be: 1, 2, 4, 8 ... */
function everyOf(count, room, each) { let n = 1; while (count / n * each > room) n *= 2; return n; }

/* Lines: on the dark card each has a contrast of 5 to 1 at least. */
const ON_LIGHT = ['#1f6fb2', '#d1662a', '#2f9e6e', '#a0479b', '#c9a227', '#5b6f82', '#c8443a', '#3aa6b9', '#7d62a8', '#7f9a2e', '#b5738a', '#46607c', '#8c6d46', '#4d9de0', '#d98880', '#6c757d'];
const ON_DARK = ['#5994c6', '#d6753f', '#37a274', '#bb7bb7', '#c9a227', '#8292a0', '#d6756d', '#3aa6b9', '#9c88bd', '#7f9a2e', '#bb7e93', '#8193a6', '#a58d6f', '#4d9de0', '#d98880', '#899197'];
const lineColor = k => (isDark() ? ON_DARK : ON_LIGHT)[k % ON_LIGHT.length];
const ofAxis = range => (v, _, __, chart) => axisNumbers(Math.max(...chart[range]().map(Math.abs)))(v);
function zoom(chart, factor) {
  const [from, to] = chart.xAxisRange(), [first, last] = chart.xAxisExtremes(), middle = (from + to) / 2, half = (to - from) * factor / 2;
  chart.updateOptions({ dateWindow: factor ? [Math.max(first, middle - half), Math.min(last, middle + half)] : null });
}
function shift(chart, share) {
  const [from, to] = chart.xAxisRange(), [first, last] = chart.xAxisExtremes(), by = Math.max(first - from, Math.min(last - to, (to - from) * share));
  chart.updateOptions({ dateWindow: [from + by, to + by] });
}


/* ---- colours, region, sections in view ------------------------------------------------------- */

const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)');
let theme = 'auto', printing = false; /* paper is white, and has no lines of a canvas */
const isDark = () => root.dataset.theme === 'dark';
/* One attribute decides, so that the style sheet has the dark colours once. */
function applyTheme() {
  root.dataset.theme = theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme;
  document.getElementById('theme').textContent = 'Theme: ' + theme;
}
function redraw() { redraws.forEach(again => again()); }

document.getElementById('theme').addEventListener('click', () => {
  theme = { auto: 'light', light: 'dark', dark: 'auto' }[theme];
  applyTheme();
  redraw();
});
dark.addEventListener('change', () => { applyTheme(); redraw(); });
let drawn = 0; /* the width that charts are drawn for */
addEventListener('resize', () => { if (!printing && Math.abs(full() - drawn) > 8) { drawn = full(); redraw(); } });
addEventListener('beforeprint', () => { printing = true; root.dataset.theme = 'light'; redraw(); });
addEventListener('afterprint', () => { printing = false; applyTheme(); redraw(); });
document.getElementById('print').addEventListener('click', () => print());

/* @param names  of the regions, `first` the number of the one shown; `choose` gets that of the one that is chosen */
function chooseRegion(names, first, choose) {
  const select = el('select', { id: 'region' }, names.map((name, i) => el('option', { value: i }, name)));
  select.value = first;
  if (names.length > 1) document.querySelector('.tools').prepend(el('label', { class: 'region' }, ['Region ', select]));
  select.addEventListener('change', () => { choose(+select.value); redraw(); });
}

/* When all is in the page. */
function finish() {
  const seen = new IntersectionObserver(list => {
    for (const entry of list)
      if (entry.isIntersecting) nav.querySelectorAll('a').forEach(a => a.classList.toggle('here', a.hash === '#' + entry.target.id));
  }, { rootMargin: '-110px 0px -70% 0px' });
  document.querySelectorAll('section').forEach(s => seen.observe(s));
  drawn = full();
  root.dataset.ready = 'yes';
}
