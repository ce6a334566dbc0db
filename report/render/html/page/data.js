// SPDX-License-Identifier: MIT
// Reads what the command packed: report/render/html/pack.h has the format.

async function unpack(script) {
  const text = atob(script.textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++)
    bytes[i] = text.charCodeAt(i);
  script.textContent = '';
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackJson(script) {
  const text = new TextDecoder().decode(await unpack(script));
  return JSON.parse(text, (key, value) => typeof value === 'string' ? plain(value) : value);
}

// Reads varints one after another into columns. Numbers are below 2^53.
class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  read(column) {
    const {bytes} = this;
    let {at} = this;
    for (let i = 0; i < column.length; i++) {
      let byte = bytes[at++], value = byte & 127;
      if (byte > 127) {
        value += ((byte = bytes[at++]) & 127) << 7;
        for (let unit = 16384; byte > 127; unit *= 128)
          value += ((byte = bytes[at++]) & 127) * unit;
      }
      column[i] = value;
    }
    this.at = at;
  }
}

// The slices of a lane, ordered by start. reach[i]: the latest end of slices 0
// to i. busy[i]: the time in which one of the slices before i ran.
class Lane {
  constructor(meta, varints, texts) {
    const n = meta.count;
    const index = length => length < 65536 ? new Uint16Array(n) : new Uint32Array(n);
    Object.assign(this, meta, {texts,
      start: new Float64Array(n), end: new Float64Array(n), bytes: new Float64Array(n),
      names: index(texts.names.length), sites: index(texts.sites.length),
      busy: new Float64Array(n + 1)});
    this.read(varints);
    this.measure();
  }
  read(varints) {
    const {start, end} = this;
    for (const column of [start, end, this.names, this.sites, this.bytes])
      varints.read(column);
    for (let i = 0, last = 0; i < this.count; i++) {
      const gap = start[i]; // zigzag-coded
      start[i] = last + (gap % 2 ? -(gap + 1) / 2 : gap / 2);
      last = end[i] += start[i];
    }
  }
  measure() {
    let reach = 0, overlaps = false;
    this.reach = this.end;
    for (let i = 0; i < this.count; i++) {
      this.busy[i + 1] = this.busy[i] +
        Math.max(0, this.end[i] - Math.max(this.start[i], reach));
      if (this.end[i] < reach && !overlaps) {
        overlaps = true;
        this.reach = this.end.slice();
      }
      reach = Math.max(reach, this.end[i]);
      if (overlaps)
        this.reach[i] = reach;
    }
    this.last = reach;
  }
  // The first slice that ends after ns, and the first that starts at ns or later.
  // Slices start and end at whole ns.
  firstEnding(ns) {
    return search(this.reach, 0, this.count, Math.floor(ns) + 1);
  }
  firstStarting(ns, from = 0) {
    let step = 1, to = from;
    while (to < this.count && this.start[to] < ns) {
      from = to + 1;
      to += step;
      step *= 2;
    }
    return search(this.start, from, Math.min(to, this.count), ns);
  }
  // The time before ns in which a slice ran; i: firstStarting(ns).
  busyBefore(ns, i) {
    return i ? this.busy[i] - Math.max(0, this.reach[i - 1] - ns) : 0;
  }
  // The slice at a time, the latest that started, or -1.
  at(from, to) {
    const last = this.firstStarting(to) - 1;
    for (let i = last; i >= 0 && i > last - 64; i--)
      if (this.end[i] >= from)
        return i;
    return -1;
  }
}

// The first of sorted values that is at least so much. It has no callback: a frame
// searches for each of its columns.
function search(array, low, high, least) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] >= least)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

const scripts = name => [...document.querySelectorAll('script.' + name)];

// The JSON of that name, or undefined if the page has none.
const readJson = async name => scripts(name).length ? unpackJson(scripts(name)[0]) : undefined;

// Kernels have colours in the order in which they first ran.
function colorsOfKernels([run]) {
  const colors = [];
  let next = 0;
  for (const lane of run?.lanes || [])
    for (const name of lane.kind === 'kernel' ? lane.names : [])
      colors[name] ??= next++;
  return colors;
}

// Returns the traces: [{report, texts, views: [{phase, estimate, rounds, lanes}]}].
async function readTraces() {
  const reports = await readJson('report');
  const slices = scripts('slices');
  return Promise.all(scripts('texts').map(async (script, i) => {
    const texts = await unpackJson(script);
    const varints = new Varints(await unpack(slices[i]));
    const views = texts.views.map(view => Object.assign({}, view, {
      lanes: view.lanes.map(lane => new Lane(lane, varints, texts))}));
    texts.colors = colorsOfKernels(views);
    const report = [reports].flat()[i];
    report.plan.forEach((step, k) => { step.shown = texts.steps[k]; });
    report.phases.forEach((phase, k) => {
      const {rows, ...shown} = texts.phases[k];
      Object.assign(phase, shown);
      phase.estimates.forEach((row, n) => { row.shown = rows[n]; });
    });
    return {report, texts, views};
  }));
}
