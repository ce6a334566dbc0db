// SPDX-License-Identifier: MIT
// Charts as SVG. The tables of the page have their figures.

const CHART = {width: 560, height: 250, left: 56, right: 14, top: 12, bottom: 34};
const paint = color => `var(--${color})`;

// Its values are also text, for who cannot point at them.
function figure(title, note, height, parts, ...below) {
  const svg = el('svg', {viewBox: `0 0 ${CHART.width} ${height}`, role: 'img', 'aria-label': title}, parts);
  const values = [...svg.querySelectorAll('title')].slice(0, 99).map(({textContent}) => textContent);
  return el('figure', el('figcaption', title), el('small', note), svg, below,
    el('details', el('summary', 'Values'), el('small', values.join('; '))));
}

const ending = (text, most) => text.length > most ? '\u2026' + text.slice(1 - most) : text;
const label = (x, y, text, anchor = 'start') => el('text', {x, y, 'text-anchor': anchor}, text);
const titled = (element, text) => (element.append(el('title', text)), element);

// Axes of a chart: x and y turn values into places.
function axes(xTicks, x, xText, yMost, yText) {
  const {width, height, left, right, top, bottom} = CHART, base = height - bottom;
  const y = value => base - (base - top) * value / yMost;
  const step = niceStep(yMost / 4), parts = [];
  for (let value = 0; value <= yMost * 1.001; value += step)
    parts.push(el('line', {x1: left, x2: width - right, y1: y(value), y2: y(value),
      stroke: paint('grid')}), label(left - 6, y(value) + 4, yText(value), 'end'));
  for (const tick of xTicks)
    parts.push(label(Math.min(x(tick), width - 4 * xText(tick).length), base + 16, xText(tick), 'middle'));
  return {y, parts};
}

const path = points => 'M' + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L');

// The time of a round by number of streams: replay with its interval, and the
// published equations.
function streamsChart(phase) {
  const rows = phase.estimates.filter(row => row.strategy === 'streams' && row.applies &&
    row.n_streams > 1 && row.n_streams <= 128).sort((a, b) => a.n_streams - b.n_streams)
    .map(row => ({...row, known: isKnown(row), round_ns: row.shown.round_ns,
      low_ns: row.shown.low_ns, high_ns: row.shown.high_ns}));
  const replayed = rows.filter(row => row.model === 'replay');
  if (replayed.length < 3)
    return null;
  const series = new Map();
  for (const row of rows) {
    const name = row.model + (row.order ? ` ${row.order}` : '');
    series.set(name, [...series.get(name) || [], row]);
  }
  const {width, left, right} = CHART, last = Math.log2(rows.at(-1).n_streams);
  const x = n => left + 8 + (width - left - right - 16) * (Math.log2(n) - 1) / Math.max(1, last - 1);
  const ticks = [2, 4, 8, 16, 32, 64, 128].filter(n => Math.log2(n) <= last);
  const most = 1.08 * Math.max(...rows.map(row => row.high_ns ?? row.round_ns));
  const {y, parts} = axes(ticks, x, String, most, value => value ? time(value) : '0');
  const colors = ['copy', 'copy', 'out', 'allocation', 'kernel', 'wait', 'call', 'range', 'found'];
  const band = replayed.filter(row => row.order === 'depth');
  parts.push(el('path', {d: path([...band.map(row => [x(row.n_streams), y(row.high_ns)]),
    ...[...band].reverse().map(row => [x(row.n_streams), y(row.low_ns)])]) + 'Z',
  fill: paint('selection')}));
  const names = [...series.keys()];
  const look = (name, i) => ({fill: 'none', stroke: paint(colors[i % colors.length]), 'stroke-width': 2,
    'stroke-dasharray': name.startsWith('replay') ? name.endsWith('breadth') ? '2 3' : 'none' : '6 4'});
  names.forEach((name, i) => {
    const points = series.get(name), color = paint(colors[i % colors.length]);
    parts.push(el('path', {d: path(points.map(row => [x(row.n_streams), y(row.round_ns)])), ...look(name, i)}));
    for (const row of points)
      parts.push(titled(el('circle', {cx: x(row.n_streams), cy: y(row.round_ns), r: 3, fill: color}),
        `${name}, n = ${row.n_streams}: ${row.low_ns && !row.known ?
          'unknown' : time(row.round_ns)} ${row.low_ns ? range(row.low_ns, row.high_ns) : ''}`));
  });
  return figure('Time by number of streams', `a round of phase ${phase.id}, which took ` +
    `${time(perRound(phase))}${untilNext(phase)}; the band is the 90 % range of replay`, CHART.height, parts,
  el('div.legend', names.map((name, i) => el('span', el('svg', {viewBox: '0 0 26 10', 'aria-hidden': true},
    el('path', {d: 'M0 5H26', ...look(name, i)})), name))));
}

// What each strategy would save of the run, alone.
function savingsChart(phase) {
  const rows = listed(phase).filter(row => row.strategy !== 'as-is' && row.saves_ns !== null)
    .map(row => ({...row, saves: row.shown.saves_ns, low: row.shown.saves_low_ns,
      high: row.shown.saves_high_ns}));
  if (!rows.length)
    return null;
  const {width, right} = CHART, left = 150, row = 24;
  // what is not known does not stretch the axis
  const least = Math.min(0, ...rows.map(r => isKnown(r) ? r.low : 0)), most = Math.max(1, ...rows.map(r => r.high));
  const figureOf = r => aboutRow(r) + time(r.saves);
  const room = 12 + 7 * Math.max(...rows.map(r => figureOf(r).length));
  const x = ns => left + (width - left - right - room) * (Math.max(ns, least) - least) / (most - least);
  const parts = rows.flatMap((r, i) => {
    const y = 8 + i * row, color = r.saves < 0 ? 'wait' : r.bound ? 'faint' : 'kernel';
    return [label(left - 8, y + 13, rowName(r) + (r.needs ? ' *' : ''), 'end'),
      titled(el('rect', {x: Math.min(x(0), x(r.saves)), y, width: Math.abs(x(r.saves) - x(0)),
        height: row - 7, fill: paint(color), rx: 2}), `${rowName(r)}: ${savingRange(r.low, r.high)}`),
      el('path', {d: `M${x(r.low)} ${y + 8.5}H${x(r.high)}m0-4v8M${x(r.low)} ${y + 4.5}v8`,
        stroke: paint('strong'), fill: 'none'}),
      label(Math.max(x(r.high), x(0)) + 6, y + 13, figureOf(r))];
  });
  parts.push(el('line', {x1: x(0), x2: x(0), y1: 2, y2: 8 + rows.length * row, stroke: paint('dim')}));
  return figure('What each would save', `of the run, with only this change in phase ${phase.id}; ` +
    '* on a condition that the trace does not show; the lines are 90 % of other runs', 14 + rows.length * row, parts);
}

const POINTS = 3000, LEAST_BYTES = 1024;

// The bandwidth of each copy against its size.
function bandwidthChart(trace) {
  const points = [];
  let most = 1;
  for (const lane of trace.views[0].lanes.filter(lane => /^copies (in|out)/.test(lane.name))) {
    const step = Math.ceil(lane.count / POINTS);
    most = Math.max(most, step);
    for (let i = 0; i < lane.count; i += step)
      if (lane.bytes[i] >= LEAST_BYTES && lane.end[i] > lane.start[i])
        points.push({bytes: lane.bytes[i], rate: lane.bytes[i] / (lane.end[i] - lane.start[i]),
          color: lane.name.startsWith('copies out') ? 'out' : 'copy'});
  }
  if (points.length < 2)
    return null;
  const {width, left, right} = CHART;
  const sizes = points.map(point => Math.log2(point.bytes));
  const first = Math.floor(Math.min(...sizes)) - 1, last = Math.ceil(Math.max(...sizes)) + 1;
  const x = bytes => left + 8 + (width - left - right - 16) * (Math.log2(bytes) - first) / (last - first);
  const every = Math.ceil((last - first) / 6), ticks = [];
  for (let power = first; power <= last; power += every)
    ticks.push(2 ** power);
  const {y, parts} = axes(ticks, x, size, 1.1 * Math.max(...points.map(point => point.rate)),
    value => value ? `${+value.toPrecision(3)} GB/s` : '0');
  const drawn = new Set();
  for (const {bytes, rate, color} of points) {
    const at = [Math.round(x(bytes)), Math.round(y(rate))], key = color + at;
    if (!drawn.has(key))
      parts.push(titled(el('circle', {cx: at[0], cy: at[1], r: 3.5, fill: paint(color), 'fill-opacity': 0.55}),
        `${color === 'out' ? 'copy out' : 'copy in'}, ${size(bytes)}: ${gbs(rate)}`));
    drawn.add(key);
  }
  return figure('Bandwidth against size', 'of the copies of the run of 1 KiB or more' +
    (most > 1 ? `; of lanes with more than ${POINTS} a sample, at least each ${most}th` : ''), CHART.height, parts,
    legend([['copy', 'copies in'], ['out', 'copies out']].filter(([name]) => points.some(({color}) => color === name))));
}

const waitParts = [['own_ns', 'copy', 'its own copy'], ['h2d_ns', 'range', 'copies in'],
  ['kernel_ns', 'kernel', 'kernels'], ['d2h_ns', 'out', 'copies out'], ['other_ns', 'faint', 'other work'],
  ['latency_ns', 'allocation', 'GPU start latency'], ['host_ns', 'call', 'the call itself']];

// What the host waited for at each place.
function waitsChart({steady, waits: all}) {
  const rounds = steady?.rounds || 1;
  const list = (steady ? steady.waits : all).filter(wait => wait.waited_ns > 0).slice(0, 8);
  if (!list.length)
    return null;
  const {width, right} = CHART, left = 170, row = 24, most = list[0].waited_ns;
  const x = ns => (width - left - right - 60) * ns / most;
  const parts = list.flatMap((wait, i) => {
    let at = left;
    const y = 8 + i * row;
    const bars = waitParts.filter(([key]) => wait[key] > 0).map(([key, color, name]) => {
      const bar = el('rect', {x: at, y, width: x(wait[key]), height: row - 7, fill: paint(color)});
      at += x(wait[key]);
      return titled(bar, `${place(wait)}: ${name}: ${time(wait[key] / rounds)}`);
    });
    return [label(left - 8, y + 13, ending(place(wait), 22), 'end'), bars, label(at + 6, y + 13, time(wait.waited_ns / rounds))];
  });
  const used = waitParts.filter(([key]) => list.some(wait => wait[key] > most / 200));
  return figure('Waits by place', rounds > 1 ? 'of the host, per round' : 'of the host',
    14 + list.length * row, parts, legend(used.map(([, color, name]) => [color, name])));
}

function charts(trace) {
  const {report} = trace;
  const phase = report.phases.find(({id}) => id === report.plan[0]?.phase) ?? report.phases[0];
  const all = [phase && savingsChart(phase), phase && streamsChart(phase),
    bandwidthChart(trace), waitsChart(report)].filter(Boolean);
  return all.length ? section('Charts', '', el('div.charts', all)) : null;
}
