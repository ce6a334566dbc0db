// SPDX-License-Identifier: MIT
// Numbers as the text report prints them, and elements of the page.

const significant = value =>
  value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);

function scaled(value, steps, base) {
  let i = 0;
  while (i + 1 < steps.length && value >= base * (1 - 0.5e-3)) {
    value /= base;
    i++;
  }
  const whole = !i || base === 1024 && Number.isInteger(value);
  return `${whole ? Math.round(value) : significant(value)} ${steps[i]}`;
}

function time(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns))
    return '-';
  if (ns < 0)
    return '-' + time(-ns);
  return scaled(ns, ['ns', 'us', 'ms', 's'], 1000);
}

const size = bytes => bytes === null ? '-'
  : scaled(bytes, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);

const rate = (bytes, ns) => ns > 0 && bytes ? `${significant(bytes / ns)} GB/s` : '-';

const percent = (part, whole) =>
  part === null || !(whole > 0) || part > whole ? '-' : `${(100 * part / whole).toFixed(1)} %`;

function range(low, high) {
  if (low === null || high === null)
    return '';
  const [from, to] = [time(low), time(high)], [number, unit] = from.split(' ');
  return from === to ? to : `${to.endsWith(' ' + unit) ? number : from}-${to}`;
}

// The time of the run, or of a phase's round, without the cost of tracing.
const untracedWall = trace => trace.wall_ns === null ? null : trace.wall_ns - trace.tracer_ns;
const untraced = phase => phase.round_ns - phase.tracer_ns;

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
