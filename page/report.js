/*
 * The page of a run, drawn from the document in #data. A chart and the table behind it are made of the same
 * numbers; a cell says which statistic it shows (data-c, data-s) and its exact value (data-v).
 */
const M = D.manifest, X = M.experiment || {}, SHAPE = D.machine, NAME = D.title;
const CARDS = SHAPE.stations * SHAPE.processors;
const SNAPSHOTS = D.stats.snapshots;
let region = 0;

/* ---- statistics ------------------------------------------------------------------------------ */

/* Those that the page asks for by name. tests/page.py holds them against those of a run: of one that is not there, a page
   would show 0. */
const STATISTICS = new Set(`
  elapsed measured busy histogram.lost histogram.wrapped
  metric.busiest_bus metric.busiest_memory metric.busiest_ring metric.busiest_central_ring
  metric.ipc metric.mips metric.mean_read_latency metric.l2_misses_per_1000 metric.nacks_per_read metric.bus_utilisation
  metric.useful_share metric.stall_share metric.killslip_share metric.system_share metric.waiting_share metric.asleep_share metric.idle_share
  status.load status.store status.branch_untaken status.branch_taken status.other_integer status.other_float
  status.killed_branch status.killed_exception status.slipped_integer status.slipped_float
  status.l1i_stall status.l1d_stall status.l2_stall status.mp_stall status.other_stall
  truth.instructions truth.loads truth.stores truth.requests truth.running truth.system truth.waiting truth.asleep truth.idle
`.trim().split(/\s+/));
function named(stat) {
  if (!STATISTICS.has(stat)) throw new Error(`the page has no statistic ${stat} in its list`);
  return stat;
}
const stats = () => SNAPSHOTS[region].stats;
const of = (component, stat) => (stats()[component] || {})[named(stat)] || 0;
const card = i => `machine.station[${Math.floor(i / SHAPE.processors)}].card[${i % SHAPE.processors}]`;
const elapsed = () => of('machine', 'elapsed');
const meaning = (component, stat) =>
  D.stats.names[component + '.' + stat] || D.stats.names[component.replace(/\[\d+\]/g, '') + '.' + stat] || {};
/* Of a run of which only parts were timed, shares are of these parts: there everything is counted. */
const timedOf = (component, stat) => ((SNAPSHOTS[region].measured || stats())[component] || {})[named(stat)] || 0;
const busCycles = () => timedOf('machine', 'elapsed') * SHAPE.bus_clock / SHAPE.cpu_clock;
const ringCycles = () => timedOf('machine', 'elapsed') * SHAPE.ring_clock / SHAPE.cpu_clock;
/* Times and what is derived are estimates where only samples were timed. */
const ESTIMATE = D.stats.estimate;
const tilde = (stat, unit) => ESTIMATE && stat !== 'measured' && (/^(metric|group)\./.test(stat) || unit === 'PCycles' || unit === 's') ? '~' : '';
const statCell = (component, stat) => ({ v: (stats()[component] || {})[stat] === undefined
  ? (/^(metric|group)\./.test(stat) ? null : 0) : stats()[component][stat], c: component, s: stat });

/* ---- overview -------------------------------------------------------------------------------- */

const saturatedAbove = 90; /* [%] of its cycles that a bus, a memory or a ring carried something */

/* What a page of a run says of which only parts were timed. */
function partly() {
  const machine = SNAPSHOTS[0].stats.machine, list = [];
  if (machine[named('measured')] !== undefined) list.push(`Only ${grouped(machine.measured)} of ${grouped(machine[named('elapsed')])} PCycles were timed and measured: rates, ratios and shares are of these.`);
  if (!ESTIMATE) return list;
  const width = ESTIMATE.half_width === null ? '' : ` ± ${(100 * ESTIMATE.half_width / ESTIMATE.pcycles).toFixed(1)} % as far as samples tell`;
  list.unshift(`Sampled: the estimate is ${grouped(Math.round(ESTIMATE.pcycles))} PCycles${width}, from ${grouped(ESTIMATE.samples)} samples; ~ marks estimates. Counts of misses, packets and the like are those while it was timed.`);
  if (ESTIMATE.unsuited) list.unshift(`Do not trust the estimate: ${ESTIMATE.unsuited}.`);
  return list;
}

function warnings() {
  const list = (M.remarks || []).map(r => r[0].toUpperCase() + r.slice(1) + (/[.?!]$/.test(r) ? '' : '.')), whole = SNAPSHOTS[0].stats.machine, idle = [];
  if (M.status !== 'complete') list.unshift(`The run is ${M.status}: ${ended().split('\n')[0] || 'its results are not whole'}.`);
  list.unshift(...partly());
  list.push(...(M.expect || []).filter(e => e.kept === false).map(broken));
  if (M.missing && M.missing.length) list.push(`Files that could not be written: ${M.missing.join(', ')}.`);
  if (whole[named('histogram.lost')]) list.push(`The histogram has lost ${grouped(whole['histogram.lost'])} events that came while the one before was being counted.`);
  if (whole[named('histogram.wrapped')]) list.push(`On ${whole['histogram.wrapped']} cards a word of the histogram has gone back to 0.`);
  for (const what of ['bus', 'memory', 'ring', 'central_ring'])
    if (whole[named('metric.busiest_' + what)] > saturatedAbove)
      list.push(`Saturated: the busiest ${what.replace('_', ' ')} had something to do in ${pc(whole['metric.busiest_' + what])} of its cycles.`);
  const did = ofTrace() ? ['loads', 'stores'] : ['instructions'], one = ofTrace() ? 'a reference' : 'an instruction';
  for (let i = 0; i < CARDS; i++) if (!did.some(stat => (SNAPSHOTS[0].stats[card(i)] || {})[named('truth.' + stat)])) idle.push(i);
  if (idle.length) list.push(idle.length === CARDS ? `No card completed ${one}.`
    : `${idle.length} of ${CARDS} cards never completed ${one}: ${spans(idle)}.`);
  for (const s of SNAPSHOTS.filter(s => s.machine_only)) list.push(`Of the region ${s.name} the page has the machine's statistics only; stats.json has the rest.`);
  return list;
}

/* 0, 1, 2, 5: "0-2, 5" */
function spans(list) {
  const out = [];
  for (let i = 0, from = 0; i < list.length; i++)
    if (list[i + 1] !== list[i] + 1) { out.push(from === i ? `${list[i]}` : `${list[from]}-${list[i]}`); from = i + 1; }
  return out.join(', ');
}

function tile(stat, name, digits) {
  const cell = statCell('machine', named(stat)), what = meaning('machine', stat);
  const value = tilde(stat, what.unit) + (digits !== undefined && !Number.isInteger(cell.v) ? shown(+cell.v.toPrecision(digits)) : shown(cell.v));
  const unit = /^(%|cycles)$/.test(what.unit) ? ' ' + unitName(what.unit) : '';
  const b = el('b', { 'data-c': 'machine', 'data-s': stat, 'data-v': cell.v }, [value, el('small', {}, unit)]);
  return hint(el('div', { class: 'tile' }, [b, el('span', {}, name)]), what.desc || stat);
}

/* Of what has a value. */
const tilesOf = list => list.filter(([stat]) => statCell('machine', named(stat)).v !== null).map(parts => tile(...parts));

/* Why the run came to its end; a message of several lines says the reason first. */
function ended() {
  const { reason, message } = M.end || {};
  return (message && reason && message.startsWith(reason) ? [message] : [reason, message]).filter(Boolean).join(': ').trim();
}

function facts() {
  const end = M.end || {}, host = M.host || {}, list = [
    ['Machine', `${X.machine}: ${grouped(CARDS)} processors, ${SHAPE.stations} ${SHAPE.stations === 1 ? 'station' : 'stations'}`],
    ['Ended', ended() + (end.status === null || end.status === undefined ? '' : `, status ${end.status}`)],
    ['Result hash', end.result_hash], ['Totals hash', end.totals_hash], ['Seed', X.seed],
    ['NUMAchine', numachine(M.numachine || {})],
    ['Host', [host.name, host.cpu, host.cores && host.cores + ' cores'].filter(Boolean).join(', ')],
    ['Run', [host.start, host.seconds !== undefined && host.seconds !== null && shown(host.seconds) + ' s'].filter(Boolean).join(', ')]];
  return factList(list);
}

/* A trace has references: what it has not told of has no value. */
const ofTrace = () => stats().machine[named('truth.instructions')] === null;
const INSTRUCTIONS = [['truth.instructions', 'instructions'], ['metric.ipc', 'instructions a PCycle and processor that had a thread', 3],
  ['metric.mips', 'million instructions a second', 4], ['metric.l2_misses_per_1000', 'misses of the secondary cache per 1,000 instructions', 3]];
const REFERENCES = [['truth.loads', 'loads'], ['truth.stores', 'stores']];
/* They add up to 100 %. */
const SHARES = [['metric.useful_share', ofTrace() ? 'references, and the work between' : 'an instruction completed'], ['metric.stall_share', 'the pipeline stood still'], ['metric.killslip_share', 'killed or slipped'],
  ['metric.system_share', 'operating system'], ['metric.waiting_share', 'asleep, for another thread'], ['metric.asleep_share', 'asleep, for other things'], ['metric.idle_share', 'no thread']];

function overview() {
  const node = section('overview', '', ''), good = M.status === 'complete' && !(M.end || {}).exit_code;
  node.append(el('h1', { id: 'overview-h' }, [NAME,
    el('span', { class: 'badge ' + (good ? 'good' : M.status === 'failed' ? 'bad' : 'warn') }, good ? (ESTIMATE ? 'complete, sampled' : 'complete') : M.status === 'complete' ? `status ${M.end.exit_code}` : M.status)]));
  if (D.sentence) node.append(el('p', { class: 'sentence' }, D.sentence));
  node.append(...about(X.about), ...command(X.argv));
  const list = warnings();
  if (list.length) node.append(el('ul', { class: 'warnings', 'aria-label': 'Warnings' }, list.map(w => el('li', { class: 'alert' }, w))));
  const tiles = el('div', { class: 'tiles' }), shares = el('div', { class: 'tiles shares' });
  const head = el('p', { class: 'tilehead' }, 'Of the PCycles of all processors that had a thread:');
  node.append(tiles, head, shares);
  const draw = () => {
    tiles.replaceChildren(...tilesOf([['elapsed', 'PCycles (processor cycles) simulated'], ...(ofTrace() ? REFERENCES : INSTRUCTIONS), ['truth.requests', 'requests for lines'],
      ['metric.mean_read_latency', 'mean read latency', 3], ['metric.nacks_per_read', 'NACKs a read', 3]]));
    shares.replaceChildren(...tilesOf(SHARES.map(parts => [...parts, 3])));
    head.hidden = !shares.childNodes.length;
  };
  redraws.push(draw);
  draw();
  panel(node, '', facts);
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* What each part of the machine did, and of how much. */
const busyCard = i => percent(timedOf(card(i), 'truth.running'), timedOf('machine', 'elapsed'));
const busyPart = (station, part) => percent(timedOf(`machine.station[${station}].${part}`, 'busy'), busCycles());
function busyRing(level, index) {
  const links = Object.keys(stats()).filter(c => c.startsWith(`machine.ring[${level}][${index}].link[`));
  return links.length ? percent(links.reduce((sum, c) => sum + timedOf(c, 'busy'), 0), links.length * ringCycles()) : 0;
}

function paint(box, share, text, words) {
  box.setAttribute('style', `fill:${heat(share / 100)}`);
  box.classList.add('busy');
  if (words) words.setAttribute('style', `fill:${contrast(share / 100)}`);
  hint(box, `${text}: ${share.toFixed(1)} % busy`);
}

/* What a part of the drawing is, by its data-part: how busy, and what it is called. */
const mean = (list, f) => list.reduce((sum, i) => sum + f(i), 0) / list.length;
const PARTS = {
  processor: n => [busyCard(n), `processor ${n}`],
  memory: n => [busyPart(n, 'memory'), `memory of station ${n}`],
  netcache: n => [busyPart(n, 'netcache'), `network cache of station ${n}`],
  station: n => [mean(Array.from({ length: SHAPE.processors }, (_, i) => n * SHAPE.processors + i), busyCard), `station ${n}`] };

function paintRing(circle) {
  const { level, number } = circle.dataset, share = busyRing(+level, +number);
  circle.setAttribute('style', `stroke:color-mix(in srgb, rgb(var(--heat)) ${Math.round(20 + 0.8 * share)}%, var(--line))`);
  hint(circle, `ring ${number} of level ${level}: ${share.toFixed(1)} % of its slots were full`);
}

function drawMachine() {
  const drawing = document.getElementById('drawing').content.querySelector('svg').cloneNode(true), each = (part, act) => drawing.querySelectorAll(`[data-part="${part}"]`).forEach(act);
  drawing.setAttribute('role', 'img');
  drawing.setAttribute('aria-label', 'The machine: stations on their rings, coloured by how busy they were');
  drawing.querySelector('title').remove();
  const size = drawing.viewBox.baseVal.width; /* one station does not fill the page */
  if (size < 500) { drawing.setAttribute('width', size * 1.5); drawing.setAttribute('class', 'small'); }
  each('caption', caption => caption.querySelectorAll('text').forEach(t => t.classList.add('soft')));
  each('board', board => board.classList.add('board'));
  each('ring', paintRing);
  each('arrow', arrow => arrow.setAttribute('style', 'fill:var(--wire)'));
  each('interface', dot => dot.setAttribute('style', 'fill:var(--card);stroke:var(--wire)'));
  each('inter-ring', dot => dot.setAttribute('style', 'fill:var(--wire);stroke:var(--wire)'));
  for (const [part, busy] of Object.entries(PARTS))
    each(part, box => paint(box, ...busy(+box.dataset.number), box.nextElementSibling));
  return drawing;
}

function machineRows() {
  const rows = [];
  for (let i = 0; i < CARDS; i++) rows.push([`processor ${i}`, 'truth.running', statCell(card(i), named('truth.running')), busyCard(i)]);
  for (let s = 0; s < SHAPE.stations; s++)
    for (const part of ['bus', 'memory', 'netcache'])
      if (stats()[`machine.station[${s}].${part}`] || part !== 'netcache')
        rows.push([`${part} of station ${s}`, 'busy', statCell(`machine.station[${s}].${part}`, named('busy')), busyPart(s, part)]);
  for (const c of Object.keys(stats())) {
    const link = /^machine\.ring\[(\d+)\]\[(\d+)\]\.link\[(\d+)\]$/.exec(c);
    if (link) rows.push([`ring ${link[2]} of level ${link[1]}, link ${link[3]}`, 'busy', statCell(c, named('busy')), percent(timedOf(c, 'busy'), ringCycles())]);
  }
  return rows;
}

/* A percentage within a sentence. */
function shareCell(stat) {
  const cell = statCell('machine', named(stat));
  return [el('b', { 'data-c': 'machine', 'data-s': stat, 'data-v': cell.v }, cell.v === null ? '–' : shown(+cell.v.toPrecision(3))), ' %'];
}

function machine() {
  const node = section('machine', 'Machine', 'Stations on their rings. The stronger the colour, the more of the time a processor ran (it neither slept nor lacked a thread), a memory or a network cache worked, or a ring’s slots were full.');
  panel(node, '', () => [el('div', { class: 'machine' + (CARDS > 128 ? ' large' : '') }, drawMachine()), heatScale('0 %', '100 % of its cycles'),
    el('p', { class: 'note' }, ['Buses were busy in ', ...shareCell('metric.bus_utilisation'), ' of their cycles, the mean of all stations.']),
    behind('machine', ['part', 'statistic', 'busy', '% of its cycles'], machineRows())]);
}

/* ---- where time went ------------------------------------------------------------------------- */

/* The states of processors: one colour and one name each, in all charts. The first ones are a profile's, which leaves `idle` out. */
const STATES = [
  ['run', ofTrace() ? 'references, and the work between' : 'instructions completed', c => ['load', 'store', 'branch_untaken', 'branch_taken', 'other_integer', 'other_float'].reduce((n, s) => n + timedOf(c, 'status.' + s), 0)],
  ['killslip', 'killed or slipped', c => ['killed_branch', 'killed_exception', 'slipped_integer', 'slipped_float'].reduce((n, s) => n + timedOf(c, 'status.' + s), 0)],
  ['primary', 'waited for the secondary cache', c => timedOf(c, 'status.l1i_stall') + timedOf(c, 'status.l1d_stall')],
  ['secondary', 'waited for data from outside the card', c => timedOf(c, 'status.l2_stall')],
  ['mp', 'multiprocessor stall', c => timedOf(c, 'status.mp_stall')],
  ['system', 'operating system', c => timedOf(c, 'truth.system')],
  ['other', 'other stall', c => timedOf(c, 'status.other_stall') - timedOf(c, 'truth.system') - timedOf(c, 'truth.waiting') - timedOf(c, 'truth.asleep') - timedOf(c, 'truth.idle')],
  ['slept', 'asleep', c => timedOf(c, 'truth.waiting') + timedOf(c, 'truth.asleep')],
  ['idle', 'no thread', c => timedOf(c, 'truth.idle')]];
const IDLE = STATES.length - 1, SLEPT = IDLE - 1;
const color = name => `var(--${name})`;
const nameOfState = key => (STATES.find(s => s[0] === key) || [key, key])[1];

function groupsOfCards() {
  if (CARDS <= 128) return Array.from({ length: CARDS }, (_, i) => [String(i), card(i)]);
  return Array.from({ length: SHAPE.stations }, (_, s) => [`s${s}`, `machine.station[${s}]`]);
}

/* @param what  bars are of: 'processor' or 'station' @param name  of the axis */
function stacks(bars, max, unit, states, what, name) {
  const left = 52, ticks = ticksTo(max), width = Math.min(full(), Math.max(300, left + 90 * bars.length)), top = name ? 24 : 8, height = 250, step = (width - left) / bars.length, every = everyOf(bars.length, width - left, 30);
  const out = scaleY(top, height, left, width, ticks, unit, name);
  max = ticks[ticks.length - 1];
  bars.forEach(([name, values], i) => {
    let y = top + height;
    states.forEach((s, k) => {
      const h = height * values[k] / max;
      y -= h;
      if (h > 0.05) out.push(hint(svg('rect', { x: left + i * step + step * 0.08, y, width: step * 0.84, height: h, fill: color(s[0]) }),
        `${name}\n${s[1]}: ${shown(+values[k].toPrecision(4))}${unit || ''}`));
    });
    if (i % every === 0) out.push(words(left + (i + 0.5) * step, top + height + 16, name.replace(/^\D+/, ''), { class: 'soft', 'text-anchor': 'middle' }));
  });
  out.push(words(left, top + height + 34, what, { class: 'soft' }));
  return sheet(width, top + height + 40, `Stacked bars by ${what}`, out);
}

function cpi(chosen) {
  const list = groupsOfCards(), last = chosen.what === 'all' ? STATES.length : SLEPT, states = STATES.slice(0, last);
  const rows = list.map(([name, c]) => [name, STATES.map(s => s[2](c)), timedOf(c, 'truth.instructions')]);
  const pcycles = timedOf('machine', 'elapsed'), each = list.length === CARDS ? pcycles : pcycles * SHAPE.processors;
  const bars = rows.map(([name, v, n]) => [(list.length === CARDS ? 'processor ' : 'station ') + name.replace('s', ''), v.slice(0, last).map(x => chosen.what === 'cpi' ? (n ? x / n : 0) : percent(x, each))]);
  const what = list.length === CARDS ? 'processor' : 'station', isCpi = chosen.what === 'cpi';
  const max = chosen.what === 'all' ? 100 : Math.max(...bars.map(b => b[1].reduce((a, x) => a + x, 0)));
  return [el('div', { class: 'chart' }, stacks(bars, max, isCpi ? '' : ' %', states, what, isCpi ? 'PCycles an instruction' : '')),
    legend(states.map(s => [color(s[0]), s[1]])),
    el('p', { class: 'note' }, isCpi ? 'PCycles an instruction, without those in which threads slept or there was none.' : `Percent of the region’s PCycles${SNAPSHOTS[region].measured ? ' that were timed' : ''}, on each ${what}.`),
    behind('cpi', [what, 'instructions'].concat(STATES.map(s => s[1] + ' [PCycles]')),
      rows.map(([name, v], i) => [+name.replace('s', ''), statCell(list[i][1], named('truth.instructions'))].concat(v)))];
}

function time() {
  const node = section('time', 'Where time went', 'What each processor spent its PCycles on. A thread that waits for a lock or a barrier in the C library sleeps.');
  panel(node, list => '', cpi, [['what', 'Show ', [['all', 'share of all PCycles'], ['busy', 'share, without sleep'], ['cpi', 'PCycles an instruction (CPI)']].slice(0, ofTrace() ? 2 : 3)]])
    .querySelector('h3').textContent = CARDS <= 128 ? 'By processor' : 'By station';
}

/* ---- counters -------------------------------------------------------------------------------- */

function cardStats() {
  const names = new Set();
  for (let i = 0; i < CARDS; i++) Object.keys(stats()[card(i)] || {}).forEach(s => names.add(s));
  return [...names].filter(s => !/^(metric|group)\./.test(s));
}

/* Cards of a station beside each other, a station in a row. */
function cardMap(values, unit) {
  const wide = SHAPE.stations > 16 ? Math.ceil(Math.sqrt(SHAPE.stations)) : Math.min(4, SHAPE.stations);
  const w = Math.min(full() / wide - 10, 72 * SHAPE.processors), cell = w / SHAPE.processors, high = 30, top = 18, most = Math.max(...values, 1), out = [];
  values.forEach((v, i) => {
    const s = Math.floor(i / SHAPE.processors), x = (s % wide) * (w + 10) + (i % SHAPE.processors) * cell, y = Math.floor(s / wide) * (high + top + 8) + top;
    if (i % SHAPE.processors === 0) out.push(words(x, y - 5, wide > 10 && s ? s : `station ${s}`, { class: 'soft' }));
    out.push(hint(svg('rect', { x, y, width: cell - 2, height: high, rx: 3, style: `fill:${v ? heat(v / most) : 'var(--faint)'}` }), `processor ${i}: ${shown(v)} ${unit}`));
    if (cell > 44) out.push(words(x + cell / 2 - 1, y + 19, short(v), { 'text-anchor': 'middle', style: `fill:${contrast(v / most)}`, 'pointer-events': 'none' }));
  });
  return sheet(wide * (w + 10), Math.ceil(SHAPE.stations / wide) * (high + top + 8), 'Counts of each card', out);
}

function counters() {
  const names = cardStats().sort((a, b) => a.startsWith('monitor.') === b.startsWith('monitor.') ? 0 : a.startsWith('monitor.') ? -1 : 1);
  const node = section('counters', 'Counters', 'What the monitoring cards counted (monitor.), the states of the Status pins (status.), and what only a simulator knows (truth.).');
  if (names.length)
    panel(node, 'By card', chosen => {
      const unit = unitName(meaning(card(0), chosen.stat).unit || ''), rows = Array.from({ length: CARDS }, (_, i) => [i, Math.floor(i / SHAPE.processors), statCell(card(i), chosen.stat)]);
      return [el('div', { class: 'chart' }, cardMap(rows.map(r => r[2].v), unit)), el('p', { class: 'note' }, `${chosen.stat}: ${meaning(card(0), chosen.stat).desc || ''} [${unit}]`),
        behind('cards', ['processor', 'station', `${chosen.stat} [${unit}]`], rows),
        behind('all-cards', ['processor'].concat(cardStats()), Array.from({ length: CARDS }, (_, i) => [i].concat(cardStats().map(s => statCell(card(i), s)))), 'All counters of all cards')];
    }, [['stat', '', names.map(n => [n, n])]]);
  panel(node, 'Whole machine', () => behind('machine-statistics', ['statistic', 'value', 'unit', 'meaning'],
    Object.keys(stats().machine).map(s => [s, statCell('machine', s), unitName(meaning('machine', s).unit || ''), meaning('machine', s).desc || '']), 'All statistics'));
  if (D.groups)
    panel(node, 'Groups', () => tableOf('groups', D.groups.columns.filter(c => c !== 'component'),
      D.groups.rows.filter(r => r[0] === SNAPSHOTS[region].name).map(r => r.filter((_, i) => D.groups.columns[i] !== 'component'))));
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* rows x columns of numbers, coloured by value; `log`: by its logarithm. */
function matrix(rowNames, columnNames, value, options) {
  const left = options.left || 60, cols = columnNames.length, cell = Math.min(options.cell || 60, (full() - left - 50) / cols), high = options.high || (rowNames.length > 64 ? Math.max(3, Math.min(15, cell)) : Math.max(15, Math.min(30, cell))), downs = everyOf(rowNames.length, rowNames.length * high, 12), gap = Math.min(1.5, cell / 6);
  const numbers = rowNames.map((_, r) => columnNames.map((_, c) => value(r, c))), most = Math.max(1, ...numbers.flat());
  const strength = v => v <= 0 ? 0 : options.log ? (Math.log(v) + 1) / (Math.log(most) + 1) : v / most;
  const slanted = cell >= 18 && columnNames.some(n => String(n).length * 7 > cell), top = slanted ? options.top || 74 : options.down ? 36 : 22, out = [], every = slanted ? 1 : everyOf(cols, cols * cell, 12 + 7 * Math.max(...columnNames.map(n => String(n).length)));
  columnNames.forEach((n, c) => {
    const x = left + (c + 0.5) * cell;
    if (slanted) out.push(words(x, top - 6, n, { class: 'soft', transform: `rotate(-42 ${x} ${top - 6})` }));
    else if (c % every === 0) out.push(words(x, top - 6, n, { class: 'soft', 'text-anchor': 'middle' }));
  });
  rowNames.forEach((n, r) => {
    if (r % downs === 0) out.push(words(left - 8, top + (r + 0.5) * high + 4, n, { class: 'soft', 'text-anchor': 'end' }));
    numbers[r].forEach((v, c) => {
      out.push(hint(svg('rect', { x: left + c * cell, y: top + r * high, width: cell - gap, height: high - gap, rx: Math.min(2, cell / 6), style: `fill:${v ? heat(strength(v)) : 'var(--faint)'}` }), options.text(r, c, v)));
      if (cell > 40 && v) out.push(words(left + (c + 0.5) * cell, top + (r + 0.5) * high + 4, short(v), { 'text-anchor': 'middle', style: `fill:${contrast(strength(v))};font-size:10.5px`, 'pointer-events': 'none' }));
    });
  });
  if (options.down) out.push(words(0, 10, `${options.down} ↓ ${options.across} →`, { class: 'soft' }));
  const width = Math.max(left + cols * cell, Math.min(320, full())) + (slanted ? 50 : 0);
  return el('div', { class: 'chart' }, sheet(Math.round(width), Math.round(top + rowNames.length * high + 4), options.label, out));
}

function traffic() {
  const names = D.traffic.map((_, s) => s), total = D.traffic.flat().reduce((a, b) => a + b, 0), local = D.traffic.reduce((a, row, s) => a + row[s], 0);
  const node = section('traffic', 'Traffic', 'Misses and upgrades that a station’s processors asked for (rows), by the station that is the line’s home (columns).');
  panel(node, 'Requests, station by station', () => [
    matrix(names, names, (r, c) => D.traffic[r][c], { label: 'Requests from stations to stations', left: 46, down: 'station that asks', across: 'home station', text: (r, c, v) => `station ${r} asked station ${c}: ${grouped(v)} requests` }),
    heatScale('0', `${grouped(Math.max(...D.traffic.flat()))} requests`),
    el('p', { class: 'note' }, `${grouped(local)} of ${grouped(total)} requests (${percent(local, total).toFixed(1)} %) were local. Of the whole run.`),
    behind('traffic', ['station'].concat(names.map(n => `home ${n}`)), D.traffic.map((row, s) => [s].concat(row)))]);
}

/* ---- time lines ------------------------------------------------------------------------------ */

const microseconds = tick => tick * 1e6 / D.stats.ticks_per_second;
const partsOf = what => what === 'card' ? CARDS : what === 'station' ? SHAPE.stations : Math.max(1, Math.round(SHAPE.stations / SHAPE.fan[0]));

/* An event that is a state has the state's colour; others have none that looks like a state's. */
const EVENT_STATE = { run: 'run', killslip: 'killslip', l2_stall: 'secondary', mp_stall: 'mp', mp_stalls: 'mp', other_stall: 'other' }, NO_STATE = [0, 3, 7, 5, 8, 11, 13];
const stateOfEvent = name => EVENT_STATE[name.replace('monitor.', '')];
function eventColors(names) {
  let others = 0;
  return names.map(name => stateOfEvent(name) ? getComputedStyle(root).getPropertyValue('--' + stateOfEvent(name)).trim() : lineColor(NO_STATE[others++ % NO_STATE.length]));
}

/* Lines of our own, where there is no package that draws them. */
function plainLines(rows, labels, unit, colors) {
  const left = 60, width = full(), top = 24, height = 230, last = rows[rows.length - 1][0] || 1, ticks = ticksTo(Math.max(...rows.map(r => Math.max(...r.slice(1))))), max = ticks[ticks.length - 1];
  const out = scaleY(top, height, left, width, ticks, '', unit).concat(scaleX(0, last, t => left + (width - left) * t / last, top + height + 16, 'simulated time [µs]'));
  labels.slice(1).forEach((label, k) => out.push(svg('path', { fill: 'none', stroke: colors[k], 'stroke-width': 1.4,
    d: rows.map((r, i) => `${i ? 'L' : 'M'}${(left + (width - left) * r[0] / last).toFixed(1)} ${(top + height - height * r[k + 1] / max).toFixed(1)}`).join('') })));
  return [el('div', { class: 'chart' }, sheet(width, top + height + 38, 'Time lines', out)), legend(labels.slice(1).map((l, k) => [colors[k], l]))];
}

function zoomable(rows, labels, unit, colors) {
  const box = el('div', { class: 'time' }), style = getComputedStyle(document.documentElement), v = name => style.getPropertyValue(name).trim();
  let chart = null;
  const button = (text, title, act) => el('button', { type: 'button', title, onclick: () => chart && act(chart) }, text);
  const bar = el('div', { class: 'bar zoom' }, [button('Zoom in', 'Zoom in', c => zoom(c, 0.5)), button('Zoom out', 'Zoom out', c => zoom(c, 2)),
    button('◀', 'Earlier', c => shift(c, -0.25)), button('▶', 'Later', c => shift(c, 0.25)), button('All', 'The whole run', c => zoom(c, 0))]);
  const make = () => {
    chart = new Dygraph(box, rows, { labels, ylabel: unit, xlabel: 'simulated time [µs]', colors, includeZero: true, strokeWidth: 1.4, legend: 'follow', labelsKMB: false,
      gridLineColor: v('--line'), axisLineColor: v('--line'), axisLabelFontSize: 12, highlightCircleSize: 3, highlightSeriesOpts: labels.length > 5 ? { strokeWidth: 2.6 } : null,
      axes: { y: { axisLabelWidth: 58, axisLabelFormatter: ofAxis('yAxisRange'), valueFormatter: y => shown(+y.toPrecision(4)) }, x: { axisLabelFormatter: ofAxis('xAxisRange'), valueFormatter: x => shown(+x.toPrecision(6)) + ' µs' } },
      drawCallback: c => { [box.dataset.from, box.dataset.to] = c.xAxisRange(); } });
  };
  placed.push(make);
  return [bar, box, legend(labels.slice(1).map((l, k) => [colors[k], l])), el('p', { class: 'note zoom' }, 'Drag over a range to zoom into it, double-click for all; shift and drag to move.')];
}
const lines = (rows, labels, unit, colors) => rows.length < 2 ? el('p', { class: 'note' }, 'There is only one sample.')
  : typeof Dygraph === 'function' && !printing ? zoomable(rows, labels, unit, colors) : plainLines(rows, labels, unit, colors);

function sampleTable(name, set, pick, labels) {
  const rows = set.begin.map((b, i) => [b, set.end[i]].concat(pick.map(p => p(i))));
  return behind(name, ['begin_tick', 'end_tick'].concat(labels), rows);
}

function samples() {
  const S = D.samples, node = section('time-lines', 'Time lines', `The events in each of ${grouped(S.samples)} intervals.`);
  const middle = (set, i) => microseconds((set.begin[i] + set.end[i]) / 2), shareable = S.names.map((_, n) => n).filter(n => S.parts[n] === 'card' && S.units[n] === 'PCycles');
  const plain = n => S.names[n].replace('monitor.', ''), said = n => stateOfEvent(S.names[n]) ? `${plain(n)}: ${nameOfState(stateOfEvent(S.names[n]))}` : plain(n);
  if (shareable.length)
    panel(node, 'Processors: share of PCycles', () => [...[].concat(lines(S.machine.begin.map((b, i) => [middle(S.machine, i)].concat(shareable.map(n => percent(S.machine.sums[n][i], (S.machine.end[i] - b) * CARDS)))),
      ['time'].concat(shareable.map(said)), '% of PCycles', eventColors(shareable.map(n => S.names[n])))), sampleTable('time-shares', S.machine, shareable.map(n => i => S.machine.sums[n][i]), shareable.map(n => `${S.names[n]} [PCycles]`))]);
  const first = S.names.map((name, n) => [String(n), plain(n)]);
  first.sort((a, b) => (S.parts[a[0]] === 'card' && S.units[a[0]] === 'PCycles') - (S.parts[b[0]] === 'card' && S.units[b[0]] === 'PCycles'));
  panel(node, 'One event', chosen => {
    const n = +chosen.stat, ring = S.parts[n] === 'ring', split = chosen.by === 'station' && SHAPE.stations > 1, set = split ? S.stations : S.machine;
    const used = split ? Array.from({ length: SHAPE.stations }, (_, s) => s).filter(s => !ring || S.stations.sums[n].some(at => at[s])) : [0];
    const names = split ? used.map(s => `${ring ? 'ring' : 'station'} ${s}`) : [said(n)], value = s => i => split ? S.stations.sums[n][i][s] : S.machine.sums[n][i];
    const each = set.together > 1 ? `${set.together} intervals are added up to one.` : '';
    return [...[].concat(lines(set.begin.map((_, i) => [middle(set, i)].concat(used.map(s => value(s)(i)))), ['time'].concat(names), `${unitName(S.units[n])} an interval`, split ? names.map((_, k) => lineColor(k)) : eventColors([S.names[n]]))),
      el('p', { class: 'note' }, `${S.names[n]} [${unitName(S.units[n])}], sum over ${split ? 'the parts of each' : `all ${partsOf(S.parts[n])} ${S.parts[n]}s`}. ${each}`),
      sampleTable('samples', set, used.map(value), names)];
  }, [['stat', '', first], ['by', '', [['machine', 'whole machine'], ['station', 'by station']]]]);
}

/* ---- histogram of the cards' memory ---------------------------------------------------------- */

/* Services times go from 0 to thousands: two columns for each doubling. */
function bucketOf(lo) { return lo < 4 ? lo : Math.floor(Math.log2(lo) * 2 + 1e-9); }
function bucketName(b) { return b < 4 ? b : Math.ceil(2 ** (b / 2) - 1e-9); }

function histogramShape() {
  const H = D.histogram, at = name => H.columns.indexOf(name), lo = at('lo'), count = at('count');
  const time = H.rows.length && H.rows[0][at('unit')] === 'cycles', most = Math.max(1, ...H.rows.map(r => r[lo] || 0)), width = 2 ** Math.max(0, Math.ceil(Math.log2((most + 1) / 64)));
  const bucket = r => time ? bucketOf(r[lo] || 0) : Math.floor((r[lo] || 0) / width), name = b => time ? bucketName(b) : b * width;
  const flags = ['global', 'valid', 'nc_hit', 'exclusive', 'remote'].filter(f => H.rows.some(r => r[at(f)] !== '')), phases = H.rows.some(r => r[at('phase')] !== '');
  const keys = {
    state: r => flags.length ? flags.filter(f => r[at(f)] === 1).join(' + ') || 'none of them' : '',
    phase: r => r[at('phase_name')] || (r[at('phase')] === '' ? '' : `phase ${r[at('phase')]}`),
    half: r => r[at('half')], none: () => 'all' };
  const by = [].concat(flags.length ? [['state', 'state found: ' + flags.join(', ')]] : [], phases ? [['phase', 'PhaseID']] : [], H.rows.some(r => r[at('half')]) ? [['half', 'half of the cache']] : [], [['none', 'nothing']]);
  const label = b => time || name(b) < 1024 ? short(name(b)) : +(name(b) / 1024).toPrecision(4) + ' KB';
  return { H, count, time, bucket, name, label, keys, by };
}

function sumsBy(shape, key) {
  const rows = new Map(), first = Math.min(...shape.H.rows.map(shape.bucket)), last = Math.max(...shape.H.rows.map(shape.bucket)), columns = [];
  for (let b = first; b <= last; b++) if (b < 4 || !columns.length || shape.name(b) !== shape.name(b - 1)) columns.push(b);
  const place = new Map(columns.map((b, i) => [b, i]));
  for (const r of shape.H.rows) {
    const k = String(key(r)), list = rows.get(k) || rows.set(k, columns.map(() => 0)).get(k);
    list[place.get(shape.bucket(r))] += r[shape.count];
  }
  return { columns, rows: [...rows].sort((a, b) => order(a[0], b[0])) };
}

/* Bars have no room for more colours than can be told apart: the rarest rows are one. */
function fewer(sums, most) {
  const all = row => row[1].reduce((a, b) => a + b, 0), sorted = sums.rows.slice().sort((a, b) => all(b) - all(a));
  if (sorted.length <= most) return sums;
  const kept = sorted.slice(0, most - 1), rest = sorted.slice(most - 1);
  return { columns: sums.columns, rows: kept.concat([[`${rest.length} others`, sums.columns.map((_, i) => rest.reduce((n, r) => n + r[1][i], 0))]]) };
}

function histogramBars(shape, sums) {
  const left = 60, width = full(), top = 24, height = 220, step = (width - left) / sums.columns.length, all = sums.columns.map((_, i) => sums.rows.reduce((n, r) => n + r[1][i], 0));
  const ticks = ticksTo(Math.max(...all)), max = ticks[ticks.length - 1], out = scaleY(top, height, left, width, ticks, '', 'counts'), every = everyOf(sums.columns.length, width - left, 46);
  sums.columns.forEach((b, i) => {
    let y = top + height;
    sums.rows.forEach(([name, values], k) => {
      const h = height * values[i] / max;
      y -= h;
      if (values[i]) out.push(hint(svg('rect', { x: left + i * step + 1, y, width: step - 2, height: h, fill: lineColor(k) }), `from ${grouped(shape.name(b))} ${shape.time ? 'bus cycles' : 'bytes'}: ${name}\n${grouped(values[i])}`));
    });
    if (i % every === 0 && left + i * step < width - 45) out.push(words(left + i * step, top + height + 16, shape.label(b), { class: 'soft' }));
  });
  return [el('div', { class: 'chart' }, sheet(width, top + height + 24, 'Histogram', out)), sums.rows.length > 1 ? legend(sums.rows.map(([name], k) => [lineColor(k), name])) : null];
}

function histogram() {
  const node = section('histogram', 'Histogram', 'What the cards’ SRAMs counted, all cards together, with the words’ fields taken apart.');
  const shape = histogramShape(), axis = shape.time ? 'Service time [bus cycles], two columns for each doubling' : 'Place [bytes]';
  panel(node, 'Bars', chosen => [...histogramBars(shape, fewer(sumsBy(shape, shape.keys[chosen.by]), 9)), el('p', { class: 'note' }, axis + '.'),
    behind('histogram', D.histogram.columns, D.histogram.rows), D.histogram.left.rows ? el('p', { class: 'note' }, `${grouped(D.histogram.left.rows)} rarer words (${grouped(D.histogram.left.sum)} counts) are left out.`) : null], [['by', 'Coloured by ', shape.by]]);
  panel(node, 'Map', chosen => {
    const sums = sumsBy(shape, shape.keys[chosen.by]), names = sums.rows.map(r => r[0]);
    return [matrix(names, sums.columns.map(shape.label), (r, c) => sums.rows[r][1][c], { label: 'Histogram as a map', log: true, high: 26, left: 24 + 7 * Math.max(...names.map(n => n.length), 4),
      text: (r, c, v) => `${names[r]}, from ${grouped(shape.name(sums.columns[c]))}: ${grouped(v)}` }), el('p', { class: 'note' }, axis + '; colours by the logarithm of the count.'),
      behind('histogram-map', [chosen.by].concat(sums.columns.map(b => `from ${shape.name(b)}`)), sums.rows.map(([n, v]) => [n].concat(v)))];
  }, [['by', 'Rows by ', shape.by]]);
}

/* ---- line states met ------------------------------------------------------------------------- */

function coherence() {
  const C = D.coherence, at = name => C.columns.indexOf(name), agents = [...new Set(C.rows.map(r => r[at('agent')]))];
  const node = section('coherence', 'Line states', 'In which state a directory found a line when a transaction came for it; * is a locked line.');
  for (const agent of agents)
    panel(node, agent === 'memory' ? 'Memory' : agent === 'netcache' ? 'Network caches' : agent, () => {
      const list = C.rows.filter(r => r[0] === SNAPSHOTS[region].name && r[at('agent')] === agent), state = r => r[at('state')] + (r[at('locked')] ? '*' : '');
      if (!list.length) return [el('p', { class: 'note' }, 'Nothing in this region.')];
      const states = [...new Set(list.map(state))].sort(), kinds = [...new Set(list.map(r => r[at('transaction')]))].sort();
      const found = new Map(list.map(r => [state(r) + '/' + r[at('transaction')], r[at('count')]]));
      return [matrix(states, kinds, (r, c) => found.get(states[r] + '/' + kinds[c]) || 0, { label: 'States met by transactions', log: true, high: 24, top: 96, text: (r, c, v) => `${kinds[c]} met ${states[r]}: ${grouped(v)}` }),
        el('p', { class: 'note' }, 'Colours by the logarithm of the count.'), behind('coherence-' + agent, C.columns, list)];
    });
}

/* ---- Status pins ----------------------------------------------------------------------------- */

const PIN = { l1i_stall: 'primary', l1d_stall: 'primary', l2_stall: 'secondary', mp_stall: 'mp', other_stall: 'other', killed_branch: 'killslip', killed_exception: 'killslip', slipped_integer: 'killslip', slipped_float: 'killslip' };
const pinGroup = state => PIN[state] || 'run';

function pins() {
  const P = D.status, at = name => P.columns.indexOf(name), cards = [...new Set(P.rows.map(r => r[at('card')]))], ticks = P.rows.map(r => r[at('tick')]);
  const from = Math.min(...ticks), clock = 2, to = Math.max(...P.rows.map(r => r[at('tick')] + r[at('clocks')] * clock)), node = section('pins', 'Status pins', 'What the Status pins of the recorded cards showed.');
  panel(node, '', () => {
    const left = 90, width = full(), high = 26, out = [], x = t => left + (width - left) * (t - from) / (to - from || 1);
    cards.forEach((c, k) => {
      out.push(words(0, k * (high + 8) + 18, `processor ${c}`, { class: 'soft' }));
      let open = null;
      const close = () => open && out.push(hint(svg('rect', { x: x(open.from), y: k * (high + 8), width: Math.max(0.4, x(open.to) - x(open.from)), height: high, fill: color(open.group) }), `processor ${c}, ticks ${grouped(open.from)} to ${grouped(open.to)}: ${nameOfState(open.group)}`));
      for (const r of P.rows.filter(r => r[at('card')] === c)) {
        const group = pinGroup(r[at('newer')]), end = r[at('tick')] + r[at('clocks')] * clock;
        if (open && open.group === group) open.to = end;
        else { close(); open = { from: r[at('tick')], to: end, group }; }
      }
      close();
    });
    const y = cards.length * (high + 8) + 8;
    out.push(...scaleX(from, to, x, y + 6, 'simulated time [ticks]'));
    return [el('div', { class: 'chart' }, sheet(width, y + 28, 'Status pins over time', out)),
      legend([...new Set(['run', ...Object.values(PIN)])].map(s => [color(s), nameOfState(s)])), behind('status', P.columns, P.rows)];
  });
}

/* ---- profile --------------------------------------------------------------------------------- */

const P = D.profile, partColor = P && P.parts.map(color);
const COUNTED = { l2_misses: 'misses of the secondary cache', nacks: 'NACKs' }, nameOfPart = part => COUNTED[part] || nameOfState(part);
const unitOfPart = part => COUNTED[part] ? '' : ' [PCycles]';
const stateSum = parts => parts.slice(0, P.states).reduce((a, b) => a + b, 0);
const asked = (parts, what) => what === 'total' ? stateSum(parts) : parts[P.parts.indexOf(what)];

/* Children beside each other under their parent, in the order of their names. */
function layout(what, root) {
  const nodes = new Map(), tops = [];
  for (const [id, parent, name, parts] of P.stacks) {
    const node = { id, name: P.names[name], value: asked(parts, what), parts, below: [] };
    nodes.set(id, node);
    if (parent !== null && nodes.has(parent)) nodes.get(parent).below.push(node);
    else tops.push(node);
  }
  const start = root !== null && nodes.get(root) ? [nodes.get(root)] : tops, all = start.reduce((n, t) => n + Math.max(0, t.value), 0), boxes = [];
  const place = (list, from, depth) => {
    for (const node of list.filter(n => n.value > 0).sort((a, b) => order(a.name, b.name))) {
      boxes.push({ node, from, depth });
      place(node.below, from, depth + 1);
      from += node.value;
    }
  };
  place(start, 0, 0);
  return { boxes, all: all || 1 };
}

function strongest(parts) {
  let best = 0;
  for (let i = 1; i < P.states; i++) if (parts[i] > parts[best]) best = i;
  return partColor[best];
}

function flame(what) {
  const box = el('div', { class: 'chart flame' });
  const draw = root => {
    const { boxes, all } = layout(what, root), width = full(), high = 19, out = [], deepest = Math.max(0, ...boxes.map(p => p.depth));
    for (const { node, from, depth } of boxes) {
      const x = width * from / all, w = width * node.value / all;
      if (w < 0.3) continue;
      const again = () => draw(root === node.id ? null : node.id), label = `${node.name}\n${grouped(node.value)} ${COUNTED[what] || 'PCycles'}, ${percent(node.value, all).toFixed(1)} %`;
      out.push(hint(svg('rect', { x, y: depth * high, width: w, height: high, rx: 1.5, fill: strongest(node.parts), tabindex: w > 8 ? 0 : null, role: 'button', onclick: again, onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); again(); } if (e.key === 'Escape') draw(null); } }), label));
      const room = Math.floor((w - 6) / 6.6);
      if (room > 2) out.push(words(x + 4, depth * high + 13.5, node.name.length > room ? node.name.slice(0, room - 1) + '…' : node.name));
    }
    box.replaceChildren(sheet(width, (deepest + 1) * high + 2, 'Flame graph: callers above what they call', out));
  };
  draw(null);
  return box;
}

const MOST_FUNCTIONS = 20, MOST_BARS = 15, MOST_DRAWN = 4; /* that are drawn */

/* The first that are worth a bar: a thousandth of all. */
const worthABar = (rows, most, value, all) => rows.slice(0, most).filter((r, i) => !i || value(r) >= all / 1000);

function functionBars(list, total) {
  return rowBars(list, 'Functions and what they spent their time on', r => r[0], P.parts.slice(0, P.states).map((p, i) => [nameOfState(p), partColor[i], r => r[3][i]]),
    r => percent(r[1], total).toFixed(1) + ' %');
}

const partLegend = () => legend(P.parts.slice(0, P.states).map((p, i) => [partColor[i], nameOfState(p)]));

function profile() {
  const node = section('profile', 'Profile', `Where the program’s threads spent ${grouped(P.total)} PCycles, asleep ones among them: shares are of these. Nothing is sampled.`), first = worthABar(P.functions.rows, MOST_FUNCTIONS, r => r[1], P.total);
  panel(node, 'Functions', () => [functionBars(first, P.total), partLegend(), drawnOf(first.length, P.functions.of, 'that took most'),
    behind('functions', ['function', 'self [PCycles]', 'with what it calls [PCycles]'].concat(P.parts.map(p => nameOfPart(p) + unitOfPart(p))), P.functions.rows.map(([n, s, a, p]) => [n, s, a].concat(p)), '',
      P.functions.of > P.functions.rows.length ? `The ${P.functions.rows.length} that took most, of ${P.functions.of}.` : '')]);
  panel(node, 'Flame graph', chosen => [flame(chosen.what), partLegend(), el('p', { class: 'note' }, 'A function stands under its caller; the colour is what most of its time went to. Click, or Enter, shows one alone; again, or Escape, shows all.'),
    behind('stacks', ['stack', 'caller', 'function'].concat(P.parts.map(p => nameOfPart(p) + unitOfPart(p))), P.stacks.map(([i, p, f, parts]) => [i, p, P.names[f]].concat(parts)))],
    [['what', 'Width by ', [['total', 'all PCycles']].concat(P.parts.map(p => [p, nameOfPart(p)]))]]);
}

/* ---- shared lines and objects ---------------------------------------------------------------- */

const lineOf = at => at.file ? `${at.file.split('/').pop()}:${at.line}` : '?';
const place = asker => (asker.caller || asker.function || '0x' + asker.pc.toString(16)) + (asker.file ? ' ' + lineOf(asker) : '');
const askersOf = item => (item.askers || []).slice(0, 3).map(place).filter((p, i, all) => all.indexOf(p) === i).join('; ');
const badge = verdict => el('span', { class: 'badge ' + ({ false: 'bad', mixed: 'bad', true: 'warn' }[verdict] || '') }, verdict === 'none' ? 'costs little' : verdict + ' sharing');

const SHARINGS = [['falsely shared', color('falsely'), o => o.falsely], ['truly shared', color('truly'), o => o.truly]];
const ofTime = cycles => percent(cycles, D.sharing.pcycles).toFixed(1) + ' %';
const cost = o => o.falsely + o.truly;

/* Which words of a line each card read, wrote or both. */
function byteMap(line) {
  const bytes = D.sharing.line_bytes, count = bytes / 4, cards = line.cards.slice(0, 12), left = 90, cell = Math.min(24, 400 / count), high = 17, out = [];
  const touched = (list, word) => { for (let i = 0; i < list.length; i += 2) if (list[i] < word * 4 + 4 && list[i] + list[i + 1] > word * 4) return true; return false; };
  for (let w = 0; w < count; w += 2) out.push(words(left + w * cell + 2, 11, '+' + (w * 4).toString(16), { class: 'soft', style: 'font-size:10px' }));
  cards.forEach((c, k) => {
    out.push(words(left - 8, 16 + k * high + 13, `card ${c.card}`, { class: 'soft', 'text-anchor': 'end' }));
    for (let w = 0; w < count; w++) {
      const r = touched(c.read, w), t = touched(c.written, w), letter = r && t ? 'b' : t ? 'w' : r ? 'r' : '';
      out.push(hint(svg('rect', { x: left + w * cell, y: 16 + k * high, width: cell - 1.5, height: high - 1.5, rx: 2, style: `fill:${letter === 'r' ? color('read') : letter ? color('written') : 'var(--faint)'}` }), `card ${c.card}, +${(w * 4).toString(16)}: ${{ r: 'read', w: 'written', b: 'read and written', '': 'not touched' }[letter]}`));
      if (letter) out.push(words(left + (w + 0.5) * cell - 1, 16 + k * high + 12, letter, { 'text-anchor': 'middle', style: 'fill:#14181c;font-size:10.5px', 'pointer-events': 'none' }));
    }
  });
  return el('div', { class: 'chart bytes' }, sheet(Math.round(left + count * cell + 4), 20 + cards.length * high, 'Words of the line that cards touched', out));
}

function oneLine(line) {
  const more = line.cards.length > 12 ? el('p', { class: 'note' }, `${line.cards.length} cards touched it; 12 are shown.`) : null;
  return el('div', { class: 'line' }, [el('h3', {}, [`0x${line.va.toString(16)} `, el('span', { class: 'choice' }, `home: station ${line.home}`), badge(line.verdict)]),
    el('p', { class: 'note' }, `${line.holds.map(h => h.first).slice(0, 6).join(', ')}${line.holds.length > 6 ? ` and ${line.holds.length - 6} more` : ''}. Falsely ${ofTime(line.falsely)}, truly ${ofTime(line.truly)} of the time; asked by ${askersOf(line)}.`),
    line.advice ? el('p', {}, line.advice[0].toUpperCase() + line.advice.slice(1) + '.') : null, byteMap(line), more]);
}

function sharing() {
  const S = D.sharing, node = section('sharing', 'Shared data', `Threads that did not sleep took ${grouped(S.pcycles)} PCycles: this is the time that shares are of. Misses and upgrades that come of sharing took ${ofTime(cost(S))} of it: ${ofTime(S.falsely)} falsely (others’ bytes in the same line), ${ofTime(S.truly)} truly.`);
  const columns = ['sharing', 'falsely [PCycles]', 'truly [PCycles]'], hex = n => '0x' + n.toString(16), first = S.objects.some(o => o.verdict !== 'none') ? worthABar(S.objects, MOST_BARS, cost, S.pcycles) : [];
  panel(node, 'Objects', () => [...(first.length ? [rowBars(first, 'What sharing cost', o => o.object, SHARINGS, o => ofTime(cost(o))), legend(SHARINGS.map(([name, fill]) => [fill, name])), drawnOf(first.length, S.of.objects, 'costliest')]
    : [el('p', { class: 'note' }, 'No object’s sharing cost a hundredth of the time.')]),
    behind('objects', ['object'].concat(columns, ['lines', 'NACKs', 'transfers', 'asked by']), S.objects.map(o => [o.object, o.verdict, o.falsely, o.truly, o.lines, o.columns.nacks || 0, o.columns.transfers || 0, askersOf(o)])
      .concat([['rest', '', S.rest.objects.falsely, S.rest.objects.truly, null, null, null, ''], ['all', '', S.falsely, S.truly, null, null, null, '']]), '',
      S.of.objects > S.objects.length ? `The ${S.objects.length} costliest of ${S.of.objects}; numachine c2c has all.` : '')]);
  const dear = S.lines.filter(l => l.verdict !== 'none').slice(0, MOST_DRAWN);
  if (S.lines.length) panel(node, 'Lines', () => [...(dear.length ? [el('div', { class: 'two' }, dear.map(oneLine)), legend([[color('read'), 'read (r)'], [color('written'), 'written (w), or both (b)']]), drawnOf(dear.length, S.of.lines, 'costliest')]
    : [el('p', { class: 'note' }, 'No line’s sharing cost a hundredth of the time.')]),
    behind('lines', ['address', 'home'].concat(columns, ['cards', 'objects', 'asked by']), S.lines.map(l => [hex(l.va), l.home, l.verdict, l.falsely, l.truly, l.cards.length, l.holds.map(h => h.first).join('; '), askersOf(l)])
      .concat([['rest', null, '', S.rest.lines.falsely, S.rest.lines.truly, null, '', ''], ['all', null, '', S.falsely, S.truly, null, '', '']]), '',
      S.of.lines > S.lines.length ? `The ${S.lines.length} costliest of ${grouped(S.of.lines)}; numachine c2c has all.` : '')]);
  const requests = S.requests.map(r => [r.heading, r.requests, r.pcycles]).concat([['rest', null, S.rest.pcycles], ['all', S.requests.reduce((n, r) => n + r.requests, 0), S.pcycles]]);
  panel(node, 'What the requests were', () => tableOf('classes', ['class', 'requests', 'PCycles', '% of the time'], requests.map(r => [...r, share(r[2], S.pcycles)])));
}

/* ---- locks ----------------------------------------------------------------------------------- */

const WAITS = [[nameOfState('slept'), color('slept'), l => l.asleep], ['waking up', color('late'), l => l.late], ['on a card', color('spun'), l => l.spun]];

const PATH = ['work', 'holding', 'handover', 'waiting'];
function pathStrip(L) {
  const width = full(), out = scaleX(0, L.elapsed, t => width * t / L.elapsed, 50, 'PCycles');
  for (const p of L.path) {
    const x = width * p.from / L.elapsed, w = width * (p.to - p.from) / L.elapsed;
    if (w > 0.05) out.push(hint(svg('rect', { x, y: 0, width: w, height: 34, fill: color(p.part) }), `${p.part}, thread ${p.thread}${p.lock ? `\n${p.lock}` : ''}\n${grouped(p.to - p.from)} PCycles`));
  }
  return el('div', { class: 'chart' }, sheet(width, 72, 'The critical path', out));
}

function locks() {
  const L = D.locks, node = section('locks', 'Locks', 'What threads waited for: locks, conditions, barriers, joins, loops.');
  const columns = ['kind', 'lock', 'calls', 'contended', 'waited', 'asleep', 'late', 'spun', 'held', 'held_longest', 'handover', 'waiters', 'fairness', 'path', 'bound'];
  const waited = L.locks.filter(l => l.waited), first = waited.slice(0, MOST_BARS);
  if (first.length) panel(node, 'Waiting [PCycles of all threads]', () => [rowBars(first, 'Waiting by lock', l => `${l.lock} (${l.kind})`, WAITS, l => short(l.waited)), legend(WAITS.map(([text, fill]) => [fill, text])), drawnOf(first.length, waited.length, 'that were waited for longest'),
    behind('locks', columns, L.locks.map(l => columns.map(c => l[c] === undefined ? null : l[c])), '',
      L.of.locks > L.locks.length ? `The ${L.locks.length} that were waited for longest, of ${grouped(L.of.locks)}.` : ''),
    L.sites.length ? behind('lock-sites', ['lock', 'kind', 'thread', 'place', 'waited', 'asleep', 'late', 'spun'], L.sites.map(s => [s.lock, s.kind, s.thread, s.place.replace(/ \/\S*\/(?=[^/]+:\d+$)/, ' '), s.waited, s.asleep, s.late, s.spun]), 'Who waited where') : null]);
  panel(node, 'Critical path', () => [pathStrip(L), legend(PATH.map(p => [color(p), p])), el('p', { class: 'note' }, 'What the end of the run hangs on, from its beginning to its end [PCycles].'),
    behind('path', ['part', 'thread', 'from', 'to', 'PCycles', 'lock'], L.path.map(p => [p.part, p.thread, p.from, p.to, p.to - p.from, p.lock || '']))]);
}

/* ---- pages ----------------------------------------------------------------------------------- */

function placement() {
  const A = D.placement, moves = !A.stays, of = (some, all) => `${percent(some, all).toFixed(1)} %`, node = section('placement', 'Pages', `Of the ${grouped(A.requests)} requests that left a card, ${of(A.local, A.requests)} went to the memory of the card’s own station${moves ? `; with other homes for some pages ${of(A.placed, A.requests)} would` : ''}. Pages went by memory.placement: ${A.rule}.`);
  const objects = A.objects.map(o => [o.object, o.requests, share(o.local, o.requests)].concat(moves ? [share(o.placed, o.requests)] : [], [o.pcycles, o.pages])), columns = ['object', 'requests', 'local [%]'].concat(moves ? ['placed [%]'] : [], ['PCycles', 'pages']);
  panel(node, 'Objects, by requests to other stations', () => [...tableOf('placed-objects', columns, objects.slice(0, 10)),
    objects.length > 10 ? behind('all-placed-objects', columns, objects, 'More objects', A.of.objects > objects.length ? `The first ${objects.length} of ${grouped(A.of.objects)}; numachine placement has all.` : '') : null]);
  panel(node, 'Pages that should move', () => moves ? [...tableOf('moving-pages', ['page', 'from', 'to', 'requests', 'local [%]', 'placed [%]', 'mostly'], A.pages.map(([va, home, best, n, local, placed, object]) => ['0x' + va.toString(16), home, best, n, share(local, n), share(placed, n), object])),
    el('p', { class: 'note' }, `${A.of.pages > A.pages.length ? `The ${A.pages.length} of which most requests become local, of ${grouped(A.of.pages)}. ` : ''}More local requests need not be less time: numachine placement --measure says it, and has the ranges for the experiment’s file.`)]
    : [el('p', { class: 'note' }, A.stays[0].toUpperCase() + A.stays.slice(1) + '.')]);
}

/* ---- configuration --------------------------------------------------------------------------- */

/* A text of several lines is one line of the file, with escapes: here it is a block, as somebody would write it. */
function block(line) {
  const found = /^(\s*)([^"#]*: )"((?:[^"\\]|\\.)*)"(.*)$/.exec(line);
  if (!found || !/\\x0a/.test(found[3])) return null;
  const text = found[3].replace(/\\(?:x(..)|u(....)|U(.{8}))/g, (_, x, u, U) => String.fromCodePoint(parseInt(x || u || U, 16)));
  const whole = text.endsWith('\n'), inside = (whole ? text.slice(0, -1) : text).split('\n').map(l => l ? `${found[1]}  ${l}\n` : '\n');
  return [el('span', { class: 'set' }, `${found[1]}${found[2]}|${whole ? '' : '-'}`), el('span', { class: 'origin' }, found[4]), '\n', el('span', { class: 'set' }, inside.join(''))];
}

function configuration() {
  const node = section('configuration', 'Configuration', 'Every value the run had, and where it comes from; what was not left at its default stands out.');
  panel(node, '', () => el('pre', { class: 'config', tabindex: 0 }, D.config.split('\n').flatMap(line => {
    const lines = block(line);
    if (lines) return lines;
    const cut = line.search(/\s+# |^# /), text = cut < 0 ? line : line.slice(0, cut), origin = cut < 0 ? '' : line.slice(cut);
    const set = origin && text && !/# default/.test(origin) && !/:\s*$/.test(text);
    return [el('span', set ? { class: 'set' } : {}, text), el('span', { class: 'origin' }, origin), '\n'];
  })));
  panel(node, 'Inputs and files', () => [...tableOf('inputs', ['input', 'bytes', 'hash'], (M.inputs || []).map(i => [i.path, i.bytes, i.hash])),
    behind('files', ['file', 'bytes'], Object.entries(M.files || {}), 'Files of the run')]);
}

/* ---- all of it -------------------------------------------------------------------------------- */

chooseRegion(SNAPSHOTS.map(s => s.name), region, chosen => { region = chosen; });
applyTheme();
/* What the reader asks first comes first, and what was not measured is not there. */
const some = rows => !!rows && rows.length > 0;
overview();
if (D.sharing && some(D.sharing.objects)) sharing();
if (D.locks && (D.locks.locks.some(l => l.waited) || D.locks.path.length > 1)) locks();
if (D.placement && D.placement.requests) placement();
if (P && P.total) profile();
time();
if (D.samples && D.samples.samples) samples();
if (D.status && some(D.status.rows)) pins();
counters();
if (D.histogram && some(D.histogram.rows)) histogram();
machine();
if (D.traffic && D.traffic.flat().some(n => n)) traffic();
if (D.coherence && some(D.coherence.rows)) coherence();
configuration();
finish();
