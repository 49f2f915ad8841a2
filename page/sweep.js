/*
 * The page of a sweep: its points, and any statistic over any parameter. A cell that shows a value of sweep.csv says
 * which one it is: point (data-p), region (data-r), statistic (data-s).
 */
const NAME = D.name, REGIONS = D.regions, PARAMETERS = D.parameters;
const POINTS = D.points.map(([id, at, state, code, has, page], number) => ({ id, at, state, code, has, page, number }));
const COLUMNS = new Map(D.columns.map(([r, name, unit, values]) => [`${r}/${name}`, { name, unit, values }]));
const MOST_LINES = 24, MOST_BROKEN = 12;
let region = Math.max(0, REGIONS.findIndex(name => name !== 'whole')); /* what a program marks is what it is about */

const namesOf = r => D.columns.filter(c => c[0] === r).map(c => c[1]);
const column = name => COLUMNS.get(`${region}/${name}`);
/* Points of which only samples were timed: their times, and what is derived, are estimates. */
const sampling = (what, is) => POINTS.filter(p => is(((COLUMNS.get(`${REGIONS.indexOf('whole')}/sampling.${what}`) || {}).values || [])[p.number]));
const SAMPLED = sampling('samples', v => v !== null && v !== undefined), UNSUITED = sampling('unsuited', v => v === 1);
const unitOf = name => {
  const unit = (column(name) || {}).unit || '';
  return (SAMPLED.length && (/^(metric|group)\./.test(name) || unit === 'PCycles' || unit === 's') ? '~' : '') + unitName(unit);
};
const valueAt = (name, point) => { const c = column(name); return c ? c.values[point.number] : null; };
const cell = (name, point) => ({ v: valueAt(name, point), p: point.id, r: REGIONS[region], s: name });
const text = (p, point) => PARAMETERS[p].texts[point.at[p]];
const several = (list, most) => list.slice(0, most).join(', ') + (list.length > most ? ` and ${grouped(list.length - most)} more` : '');

/* ---- overview -------------------------------------------------------------------------------- */

const FAILED = POINTS.filter(p => p.state === 'failed'), HOLES = POINTS.filter(p => !p.has && p.state !== 'failed');

function howItEnded(point) {
  if (point.state === 'failed') return `failed, status ${point.code}`;
  if (!point.has) return point.state === 'done' ? 'done, not in the table' : 'not there';
  return point.code ? `status ${point.code}` : 'done';
}

function overview() {
  const odd = POINTS.filter(p => p.has && p.code), X = D.experiment || {}, expect = D.expect || [], unkept = expect.filter(e => e.kept === false), left = expect.filter(e => e.kept === null);
  const whole = !FAILED.length && !HOLES.length, good = whole && !odd.length && !unkept.length, node = section('overview', '', ''), list = [];
  node.append(el('h1', { id: 'overview-h' }, [NAME, el('span', { class: 'badge ' + (good ? 'good' : FAILED.length ? 'bad' : 'warn') },
    good ? 'complete' : whole ? (unkept.length ? 'not as expected' : 'complete, with warnings') : `${grouped(POINTS.length - FAILED.length - HOLES.length)} of ${grouped(POINTS.length)} points`)]));
  node.append(...about(X.about), ...command(X.argv));
  list.push(...unkept.slice(0, MOST_BROKEN).map(broken));
  if (unkept.length > MOST_BROKEN) list.push(`${grouped(unkept.length - MOST_BROKEN)} more expectations are not kept; the sweep's index has them.`);
  if (left.length) list.push(`${grouped(left.length)} ${left.length === 1 ? 'expectation is' : 'expectations are'} not judged: points are not there.`);
  if (FAILED.length) list.push(`${grouped(FAILED.length)} failed: ${several(FAILED.map(p => `${p.id} (status ${p.code})`), 12)}.`);
  if (HOLES.length) list.push(`${grouped(HOLES.length)} ${HOLES.length === 1 ? 'is' : 'are'} not there: ${several(HOLES.map(p => p.id), 12)}.`);
  if (odd.length) list.push(`${grouped(odd.length)} ended otherwise than well: ${several(odd.map(p => `${p.id} (status ${p.code})`), 12)}.`);
  if (SAMPLED.length) list.push(`${grouped(SAMPLED.length)} of ${grouped(POINTS.length)} points were sampled: their times, and what is derived, are estimates (~).`);
  if (UNSUITED.length) list.push(`Do not trust the estimates of ${grouped(UNSUITED.length)}: ${several(UNSUITED.map(p => p.id), 12)}.`);
  if (D.left) list.push(`There was no room for ${grouped(D.left)} statistics of each point; sweep.csv has them.`);
  if (list.length) node.append(el('ul', { class: 'warnings', 'aria-label': 'Warnings' }, list.map(w => el('li', { class: 'alert' }, w))));
  const tile = (value, what) => el('div', { class: 'tile' }, [el('b', {}, grouped(value)), el('span', {}, what)]);
  node.append(el('div', { class: 'tiles five' }, [tile(POINTS.length, 'points'), tile(POINTS.length - FAILED.length - HOLES.length, 'with results'), tile(FAILED.length, 'failed'),
    tile(HOLES.length, 'not there'), tile(PARAMETERS.length, PARAMETERS.length === 1 ? 'parameter' : 'parameters')]));
  panel(node, '', () => factList([['Machine', X.machine], ['NUMAchine', numachine(D.numachine || {})], ...PARAMETERS.map(p => [p.key, several(p.texts, 40)])]));
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Whether each value of parameter p has one of q only: they go along together. */
function follows(q, p) {
  const found = new Map();
  return POINTS.every(point => !found.has(point.at[p]) ? (found.set(point.at[p], point.at[q]), true) : found.get(point.at[p]) === point.at[q]);
}

/* A line for each combination of the other parameters: {name, points by number of the value of p}. */
function linesOver(p, fixed) {
  const others = PARAMETERS.map((_, q) => q).filter(q => q !== p && !follows(q, p)), found = new Map();
  for (const point of POINTS) {
    if (others.some(q => fixed[q] !== undefined && fixed[q] !== point.at[q])) continue;
    const key = others.map(q => point.at[q]).join(' ');
    if (!found.has(key)) found.set(key, { name: others.filter(q => fixed[q] === undefined).map(q => `${PARAMETERS[q].key} ${text(q, point)}`).join(', '), points: new Map() });
    found.get(key).points.set(point.at[p], point);
  }
  const lines = [...found.values()];
  if (lines.length === 1 && !lines[0].name) lines[0].name = 'all points';
  return lines;
}

/* Where the values of a parameter stand on an axis: numbers at their places, other values side by side. */
function axisOf(p) {
  const { texts, numbers } = PARAMETERS[p], at = i => numbers ? numbers[i] : i;
  return { order: texts.map((_, i) => i).sort((a, b) => at(a) - at(b)), at, text: i => texts[i], numeric: !!numbers, positive: !!numbers && Math.min(...numbers) > 0 };
}

/* Ticks that do not touch each other, of [place, text]. */
function ticksOf(list, place, room) {
  const out = [];
  let end = -Infinity;
  for (const [v, label] of list) {
    const half = label.length * 3.6, x = place(v) * room;
    if (x - half < end + 8) continue;
    out.push([v, label]);
    end = x + half;
  }
  return out;
}

const spread = (from, to, log) => v => to === from ? 0.5 : log ? (Math.log(v) - Math.log(from)) / (Math.log(to) - Math.log(from)) : (v - from) / (to - from);

/* Powers of ten, and if these are few, their parts. */
function decades(from, to) {
  const out = [], steps = to / from > 100 ? [1] : to / from > 10 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  for (let power = 10 ** Math.floor(Math.log10(from)); power <= to; power *= 10) for (const s of steps) if (s * power >= from * 0.999 && s * power <= to * 1.001) out.push(s * power);
  return out;
}

/* Lines of our own: for paper, and where there is no package that draws them. */
function plainCurves(chart) {
  const { rows, labels, x, log, unit } = chart, left = 62, right = 26, width = full(), top = 26, height = 330, place = spread(x[0][0], x[x.length - 1][0], log.x);
  const all = rows.flatMap(r => r.slice(1)).filter(v => Number.isFinite(v) && (!log.y || v > 0)), max = all.length ? Math.max(...all) : 1;
  const ticks = log.y ? [] : ticksWithin(Math.min(0, ...all), ticksTo(max).pop(), 6);
  const from = log.y ? Math.min(...all, max) / 1.15 : Math.min(0, ...all), to = log.y ? max * 1.15 : ticks[ticks.length - 1], high = spread(from, to, log.y), number = log.y ? short : axisNumbers(to), out = [words(0, 12, unit, { class: 'soft' })];
  const px = v => left + (width - left - right) * place(v), py = v => top + height - height * high(v);
  for (const v of log.y ? decades(from, to) : ticks) {
    out.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: py(v), y2: py(v) }));
    out.push(words(left - 8, py(v) + 4, number(v), { class: 'soft', 'text-anchor': 'end' }));
  }
  for (const [v, label] of ticksOf(x, place, width - left - right)) out.push(words(px(v), top + height + 18, label, { class: 'soft', 'text-anchor': 'middle' }));
  labels.slice(1).forEach((label, k) => {
    const ideal = label === chart.ideal, stroke = ideal ? 'var(--soft)' : lineColor(k), seen = rows.map(r => [r[0], r[k + 1]]);
    let d = '', pen = false;
    for (const [v, y] of seen) {
      if (y === null || y === undefined || (log.y && y <= 0)) { pen = pen && y === undefined; continue; }
      d += `${pen ? 'L' : 'M'}${px(v).toFixed(1)} ${py(y).toFixed(1)}`;
      pen = true;
      if (!ideal) out.push(hint(svg('circle', { cx: px(v), cy: py(y), r: 3.2, fill: stroke }), `${label}\n${chart.over} ${chart.textAt(v)}: ${shown(+y.toPrecision(6))} ${unit}`));
    }
    out.push(svg('path', { d, fill: 'none', stroke, 'stroke-width': 1.8, 'stroke-dasharray': ideal ? '6 5' : null }));
  });
  out.push(words(left + (width - left - right) / 2, top + height + 38, chart.over, { class: 'soft', 'text-anchor': 'middle' }));
  return [el('div', { class: 'chart' }, sheet(width, top + height + 46, chart.title, out))];
}

function zoomableCurves(chart) {
  const { rows, labels, x, log, unit } = chart, box = el('div', { class: 'time curves' }), style = getComputedStyle(document.documentElement), v = name => style.getPropertyValue(name).trim();
  const first = x[0][0], last = x[x.length - 1][0], wide = log.x ? (last / first) ** 0.03 : (last - first || 1) * 0.03;
  const window_ = log.x ? [first / wide, last * wide] : [first - wide, last + wide];
  let graph = null;
  const button = (label, title, act) => el('button', { type: 'button', title, onclick: () => graph && act(graph) }, label);
  const bar = el('div', { class: 'bar zoom' }, [button('Zoom in', 'Zoom in', c => zoom(c, 0.5)), button('Zoom out', 'Zoom out', c => zoom(c, 2)),
    button('All', 'The whole chart', c => c.updateOptions({ dateWindow: window_, valueRange: null })), el('span', { class: 'note' }, 'Drag over a range to zoom into it.')]);
  placed.push(() => {
    const series = {};
    labels.slice(1).forEach((label, k) => { series[label] = label === chart.ideal ? { strokePattern: [6, 5], drawPoints: false, color: v('--soft') } : { color: lineColor(k) }; });
    graph = new Dygraph(box, rows, { labels, ylabel: unit, xlabel: chart.over, series, strokeWidth: 1.8, drawPoints: true, pointSize: 3.2, highlightCircleSize: 5, legend: 'follow', logscale: log.y,
      includeZero: !log.y, yRangePad: 10, dateWindow: window_, gridLineColor: v('--line'), axisLineColor: v('--line'), axisLabelFontSize: 12, connectSeparatedPoints: true,
      axes: { y: { axisLabelWidth: 62, axisLabelFormatter: log.y ? short : ofAxis('yAxisRange'), valueFormatter: y => shown(+y.toPrecision(6)) },
        x: { logscale: log.x, valueFormatter: t => chart.textAt(t), ticker: (a, b, room) => ticksOf(x.filter(t => t[0] >= a && t[0] <= b), spread(a, b, log.x), room).map(([at, label]) => ({ v: at, label })) } },
      drawCallback: c => { [box.dataset.from, box.dataset.to] = c.xAxisRange(); } });
  });
  return [box, bar];
}

/* rows: [place, value of each line]: null is a hole, undefined nothing at all. */
function curves(chart) {
  if (!chart.rows.length || chart.labels.length < 2) return [el('p', { class: 'note' }, 'No point has it.')];
  const drawn = typeof Dygraph === 'function' && !printing && chart.rows.length > 1 ? zoomableCurves({ ...chart,
    rows: chart.rows.map(r => r.map(v => v === null ? NaN : v === undefined ? null : v)) }) : plainCurves(chart);
  const colors = chart.labels.slice(1).map((label, k) => [label === chart.ideal ? 'var(--soft)' : lineColor(k), label]);
  return [...drawn, legend(colors)];
}

/* ---- any statistic over any parameter -------------------------------------------------------- */

const scales = [['x', 'Across ', [['linear', 'linear'], ['log', 'logarithmic']]], ['y', 'Up ', [['linear', 'linear'], ['log', 'logarithmic']]]];
const fixedBy = chosen => Object.fromEntries(PARAMETERS.map((_, q) => [q, chosen['p' + q]]).filter(([, v]) => v !== undefined && v !== 'each').map(([q, v]) => [q, +v]));
const narrowing = skip => PARAMETERS.map((p, q) => [`p${q}`, `${PARAMETERS[q].key} `, [['each', 'each']].concat(p.texts.slice(0, 200).map((t, i) => [i, t])), q])
  .filter(([, , list, q]) => PARAMETERS.length > 1 && list.length > 2 && q !== skip).map(c => c.slice(0, 3));

/* The chart of `value(point)` over parameter p. */
function chartOf(p, chosen, value, more) {
  const axis = axisOf(p), lines = linesOver(p, fixedBy({ ...chosen, ['p' + p]: undefined })), drawn = lines.slice(0, MOST_LINES);
  const there = axis.order.filter(i => drawn.some(line => line.points.has(i))), rows = there.map(i => [axis.at(i)].concat(drawn.map(line => line.points.has(i) ? value(line.points.get(i), line) : undefined)));
  const log = { x: chosen.x === 'log' && axis.positive, y: chosen.y === 'log' }, names = new Map(there.map(i => [axis.at(i), axis.text(i)]));
  const left = lines.length - drawn.length, none = rows.some(r => r.slice(1).some(v => v === null));
  return { lines, axis, left, none, refused: chosen.x === 'log' && !axis.positive,
    chart: { rows, labels: [PARAMETERS[p].key].concat(drawn.map(l => l.name)), x: there.map(i => [axis.at(i), axis.text(i)]), log, over: PARAMETERS[p].key, textAt: v => names.get(v) || shown(+v.toPrecision(4)), ...more } };
}

function notes(made) {
  return [made.left ? el('p', { class: 'note' }, `${grouped(made.left)} more lines are not drawn: choose a value of a parameter above. The table has them.`) : null,
    made.none ? el('p', { class: 'note' }, 'A line has a gap where a point is not there, failed, or has no value.') : null,
    made.refused ? el('p', { class: 'note' }, `${made.chart.over} has values that are no numbers above 0: the scale is linear.`) : null];
}

function anyCurve() {
  const node = section('curves', 'Curves', 'Any statistic of the machine over any parameter; a line for each combination of the others.');
  const names = [...new Set(D.columns.map(c => c[1]))], first = Math.max(0, PARAMETERS.findIndex(p => p.numbers && p.texts.length > 1));
  const over = PARAMETERS.map((p, i) => [String(i), p.key]);
  over.unshift(...over.splice(first, 1));
  panel(node, '', (chosen, bar) => {
    bar.querySelectorAll('[data-choice^=p]').forEach(label => { label.hidden = label.dataset.choice === 'p' + chosen.over; });
    const p = +chosen.over, made = chartOf(p, chosen, point => valueAt(chosen.stat, point), { unit: unitOf(chosen.stat), title: `${chosen.stat} over ${PARAMETERS[p].key}` });
    if (!column(chosen.stat)) return [el('p', { class: 'note' }, `No region ${REGIONS[region]} has ${chosen.stat} here; the table sweep.csv may.`)];
    const rows = made.lines.flatMap(line => made.axis.order.filter(i => line.points.has(i)).map(i => [line.points.get(i).id, line.name, PARAMETERS[p].numbers ? PARAMETERS[p].numbers[i] : made.axis.text(i), cell(chosen.stat, line.points.get(i))]));
    return [...curves(made.chart), el('p', { class: 'note' }, `${chosen.stat} [${unitOf(chosen.stat)}] of the region ${REGIONS[region]}.`), ...notes(made),
      behind('curves', ['point', 'line', PARAMETERS[p].key, `${chosen.stat} [${unitOf(chosen.stat)}]`], rows)];
  }, [['stat', '', names.map(n => [n, n])], ['over', 'over ', over], ...scales, ...narrowing()]);
}

/* ---- speed-up -------------------------------------------------------------------------------- */

const IDEAL = 'ideal';

function speedUp() {
  const p = PARAMETERS.findIndex(q => q.key === 'program.processors' && q.numbers && q.texts.length > 1);
  if (p < 0 || PARAMETERS[p].numbers.includes(0)) return; /* 0: as many as the machine has */
  const fewest = Math.min(...PARAMETERS[p].numbers), node = section('speed-up', 'Speed-up', `How many times sooner a region is done than with ${fewest === 1 ? 'one processor' : `${fewest} processors`}. The broken line is what processors could do at most that neither wait nor share.`);
  panel(node, '', chosen => {
    const at = PARAMETERS[p].numbers.indexOf(fewest), gain = (point, line) => {
      const one = line.points.has(at) ? valueAt('elapsed', line.points.get(at)) : null, its = valueAt('elapsed', point);
      return one === null || !its ? null : one / its;
    };
    const made = chartOf(p, { ...chosen, y: chosen.x }, gain, { unit: 'times', title: 'Speed-up over processors', ideal: IDEAL });
    made.chart.rows.forEach(r => r.push(r[0] / fewest));
    made.chart.labels.push(IDEAL);
    const rows = made.lines.flatMap(line => made.axis.order.filter(i => line.points.has(i)).map(i => {
      const point = line.points.get(i), times = gain(point, line);
      return [point.id, line.name, PARAMETERS[p].numbers[i], cell('elapsed', point), times, times === null ? null : 100 * times * fewest / PARAMETERS[p].numbers[i]];
    }));
    return [...curves(made.chart), el('p', { class: 'note' }, `Of the region ${REGIONS[region]}.`), ...notes(made),
      behind('speed-up', ['point', 'line', 'processors', 'elapsed [PCycles]', 'speed-up', 'of the ideal [%]'], rows)];
  }, [['x', 'Scales ', [['log', 'logarithmic'], ['linear', 'linear']]], ...narrowing(p)]);
}

/* ---- points ---------------------------------------------------------------------------------- */

function points() {
  const node = section('points', 'Points', 'All points of the sweep, how they ended, and what the region took.');
  const own = point => PARAMETERS.map((p, q) => p.numbers ? p.numbers[point.at[q]] : text(q, point));
  const heads = ['point'].concat(PARAMETERS.map(p => p.key), D.columns.map(c => `${REGIONS[c[0]]}/${c[1]} [${c[2]}]`));
  const save = () => download(`${NAME}-statistics.csv`, csvOf(heads, POINTS.map(point => [point.id].concat(own(point), D.columns.map(c => c[3][point.number])))));
  panel(node, '', () => [...tableOf('points', ['point', 'ended'].concat(PARAMETERS.map(p => p.key), ['elapsed [PCycles]']),
    POINTS.map(point => [point.page ? { v: point.id, href: `points/${point.id}/report.html` } : point.id, howItEnded(point)]
      .concat(PARAMETERS.map((p, q) => p.numbers ? p.numbers[point.at[q]] : text(q, point)), [cell('elapsed', point)]))),
    el('div', { class: 'tablebar' }, [el('span', { class: 'note' }, `All ${grouped(D.columns.length)} statistics that this page has of each point, a column each:`),
      el('button', { type: 'button', onclick: save }, 'Download CSV')])]);
}

/* ---- all of it -------------------------------------------------------------------------------- */

chooseRegion(REGIONS, region, chosen => { region = chosen; });
applyTheme();
overview();
if (POINTS.some(p => p.has)) {
  speedUp();
  anyCurve();
}
points();
finish();
