// SPDX-License-Identifier: MIT
// Numbers as the text report prints them, and elements of the page.

// Digits behind the point, so that three are printed in all.
const decimals = value => Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
const significant = value => value.toFixed(decimals(value));

function size(bytes) {
  if (bytes === null)
    return '-';
  const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0, value = bytes;
  while (i + 1 < steps.length && value >= 1024 * (1 - 0.5e-3)) {
    value /= 1024;
    i++;
  }
  const whole = !i || Number.isInteger(value);
  return `${whole ? Math.round(value) : significant(value)} ${steps[i]}`;
}

const units = [['d', 8.64e13], ['h', 3.6e12], ['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]];

// A time in the unit and with the digits of another one: [number, unit].
function timeAs(ns, like) {
  const [unit, one] = units.find(([, size]) => Math.abs(like) >= size * 0.9995) || units.at(-1);
  return [(ns / one).toFixed(one === 1 ? 0 : decimals(like / one)), unit];
}

const time = ns => ns === null || ns === undefined || Number.isNaN(ns) ? '-' : timeAs(ns, ns).join(' ');

const gbs = value => value < 0.0995 ? `${significant(1000 * value)} MB/s` : `${significant(value)} GB/s`;
const rate = (bytes, ns) => ns > 0 && bytes ? gbs(bytes / ns) : '-';

const percent = (part, whole) =>
  part === null || !(whole > 0) || part > whole ? '-' : `${(100 * part / whole).toFixed(1)} %`;

function range(low, high) {
  if (low === null || high === null)
    return '';
  const [from] = timeAs(low, high), [to, unit] = timeAs(high, high);
  return `${from === to ? '' : from + '-'}${to} ${unit}`;
}

// The range of a saving, which may be a loss.
const savingRange = (low, high) => low < 0 ? `from ${time(-low)} slower to ${time(high)} faster`
  : range(low, high);

// The time of the run, or of a phase's round, without the cost of tracing.
const untracedWall = trace => trace.wall_ns === null ? null : trace.wall_ns - trace.tracer_ns;
const untraced = phase => phase.round_ns - phase.tracer_ns;
// With the host's time until the next round, if rows count it.
const perRound = phase => untraced(phase) + phase.used_between_ns;
const untilNext = phase => phase.used_between_ns
  ? `, with the host's ${time(phase.used_between_ns)} until the next round` : '';

// The rows of a phase that are listed; row.shown: as they are shown, in data.js.
const listed = phase => phase.estimates.filter(row => row.shown.listed);

// Whether the time of a row's round is known: xs_result_is_known().
const isKnown = row => row.effort === 'none' || row.high_ns - row.low_ns <= row.round_ns;

const count = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;

// Characters that steer a terminal or reorder text do nothing here, but they
// would hide what a name is.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const plain = text => text.replace(unsafe, '\ufffd');

// Makes an element: el('p.note', {title: 'x'}, 'text', other). Text is never markup.
function el(name, ...parts) {
  const [tag, ...classes] = name.split('.');
  const svg = ['svg', 'g', 'path', 'line', 'rect', 'circle', 'text', 'title'].includes(tag);
  const out = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  if (classes.length)
    out.setAttribute('class', classes.join(' '));
  for (const part of parts.flat(9)) {
    if (part === null || part === undefined || part === false)
      continue;
    if (part instanceof Node || typeof part !== 'object')
      out.append(part);
    else
      for (const [key, value] of Object.entries(part))
        if (typeof value === 'function')
          out.addEventListener(key, value);
        else
          out.setAttribute(key, value);
  }
  return out;
}

// A table: heads are [title, is a number], rows are arrays of cells.
function table(label, heads, rows) {
  const cell = (content, i) => el(heads[i][1] ? 'td.number' : 'td', content);
  return el('div.scroll', {tabindex: 0, role: 'region', 'aria-label': label},
    el('table',
      el('thead', el('tr', heads.map(([title, number]) =>
        el(number ? 'th.number' : 'th', {scope: 'col'}, title)))),
      el('tbody', rows.map(row => el('tr', row.map(cell))))));
}
