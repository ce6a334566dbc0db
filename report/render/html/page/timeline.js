// SPDX-License-Identifier: MIT
// The timeline: lanes of slices on a canvas. Only what is visible is drawn; the
// slices of a pixel column are drawn as one bar, as high as their share of it.

const ROW = 20, GAP = 4, HEAD = 22, AXIS = 26, WIDE = 1.5, LABEL = 36, LOOKED_AT = 8, LEAST_HIGH = 0.2;
const PAN = 0.15, ZOOM = 1.5;

class Timeline {
  // groups: [{title, lanes}]; texts: {names, sites}. sums and detail: elements
  // for what a selection adds up to, and for the slice that the keys are at.
  constructor(label, groups, texts) {
    this.texts = texts;
    this.canvas = el('canvas', {tabindex: 0, role: 'application', 'aria-label': label +
      '. Left and right: pan. Plus and minus: zoom. 0: all. Up and down: another lane. ' +
      'Comma and full stop: the slice before and after. Enter: zoom to it.'});
    this.spacer = el('div.spacer', this.canvas);
    this.frame = el('div.frame', this.spacer);
    this.tip = el('div.tip', {role: 'tooltip', hidden: ''});
    this.said = el('p.said', {'aria-live': 'polite'});
    this.sums = el('div.sums', {'aria-live': 'polite'});
    this.find = el('input', {type: 'search', placeholder: 'Find a kernel, call or line',
      'aria-label': 'Find a kernel, call or source line',
      input: () => this.search(this.find.value),
      keydown: event => event.key === 'Enter' && this.next(event.shiftKey)});
    this.found = el('output');
    const button = (text, label, action) =>
      el('button', {type: 'button', title: label, 'aria-label': label, click: action}, text);
    this.tools = el('div.tools', this.find, this.found,
      button('\u2212', 'Zoom out', () => this.zoom(ZOOM ** 2)),
      button('+', 'Zoom in', () => this.zoom(ZOOM ** -2)),
      button('All', 'Show all', () => this.fit()));
    this.element = el('div.timeline', this.tools, this.frame, this.tip, this.said, this.sums);
    this.pointers = new Map();
    this.listen();
    this.show(groups);
  }

  show(groups) {
    this.rows = [];
    let y = 0;
    for (const {title, lanes} of groups) {
      if (title) {
        this.rows.push({title, y});
        y += HEAD;
      }
      for (const lane of lanes) {
        this.rows.push({lane, y});
        y += ROW + GAP;
      }
    }
    this.height = y + AXIS;
    this.lanes = this.rows.filter(row => row.lane);
    const lanes = this.lanes.map(row => row.lane).filter(lane => lane.count);
    this.least = Math.min(...lanes.map(lane => lane.start[0]), Infinity);
    this.most = Math.max(this.least + 1000, ...lanes.map(lane => lane.last));
    this.cursor = {row: 0, slice: -1};
    this.spacer.style.height = this.height + 'px';
    this.select(null);
    this.search(this.find.value);
    this.fit();
  }

  fit() {
    this.look(-Infinity, Infinity);
  }

  look(from, to) {
    const most = 1.02 * (this.most - this.least);
    const span = Math.min(Math.max(to - from, 20), most);
    const middle = span === most ? (this.least + this.most) / 2
      : Math.min(Math.max((from + to) / 2, this.least), this.most);
    this.from = middle - span / 2;
    this.to = middle + span / 2;
    this.redraw();
  }

  zoom(factor, ns = (this.from + this.to) / 2) {
    this.look(ns - (ns - this.from) * factor, ns + (this.to - ns) * factor);
  }

  pan(share) {
    const by = (this.to - this.from) * share;
    this.look(this.from + by, this.to + by);
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw();
    });
  }

  // ---- drawing

  resize() {
    const scale = window.devicePixelRatio || 1;
    const width = this.frame.clientWidth, height = this.frame.clientHeight;
    if (this.width !== width || this.shown !== height || this.scale !== scale) {
      Object.assign(this, {width, shown: height, scale});
      this.canvas.width = width * scale;
      this.canvas.height = height * scale;
      this.canvas.style.height = height + 'px';
    }
    this.side = Math.min(190, width * 0.28);
    this.perPixel = (this.to - this.from) / Math.max(1, width - this.side);
  }

  draw() {
    const began = performance.now();
    this.resize();
    const c = this.context ??= this.canvas.getContext('2d', {alpha: false});
    this.colors = colorsOf(this.canvas);
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = this.colors.back;
    c.fillRect(0, 0, this.width, this.shown);
    c.font = '12px system-ui, sans-serif';
    c.textBaseline = 'middle';
    const top = this.frame.scrollTop - AXIS;
    const rows = this.rows.filter(({y}) => y - top > AXIS - ROW - GAP && y - top < this.shown);
    c.fillStyle = this.colors.lane;
    for (const {lane, y} of rows)
      if (lane)
        c.fillRect(this.side, y - top, this.width - this.side, ROW);
    this.drawGrid(c);
    for (const row of rows)
      if (row.lane)
        this.drawLane(c, row, row.y - top);
      else
        this.drawTitle(c, row.title, row.y - top);
    this.drawAxis(c);
    this.drawSelection(c);
    this.drawn = performance.now() - began;
  }

  x(ns) {
    return this.side + (ns - this.from) / this.perPixel;
  }

  text(c, text, x, y, width, color) {
    c.fillStyle = color;
    let end = Math.min(text.length, Math.floor(width / 5));
    while (end > 0 && c.measureText(text.slice(0, end)).width > width)
      end -= Math.ceil(end / 8);
    if (end > 2 || end === text.length)
      c.fillText(end < text.length ? text.slice(0, end - 1) + '\u2026' : text, x, y);
  }

  drawLane(c, row, y) {
    const {lane} = row;
    const current = this.lanes[this.cursor.row] === row && document.activeElement === this.canvas;
    c.save();
    c.beginPath();
    c.rect(this.side, y, this.width - this.side, ROW);
    c.clip();
    this.drawSlices(c, lane, y);
    c.restore();
    c.fillStyle = current ? this.colors.select : this.colors.back;
    c.fillRect(0, y, this.side, ROW);
    c.fillStyle = this.colors[lane.kind];
    c.fillRect(0, y + 3, 3, ROW - 6);
    this.text(c, lane.name, 8, y + ROW / 2 + 1, this.side - 14, this.colors.text);
  }

  drawSlices(c, lane, y) {
    const {start, end} = lane, wide = WIDE * this.perPixel;
    const run = {from: 0, columns: 0, high: 0, color: ''};
    let i = lane.firstEnding(this.from);
    while (i < lane.count && start[i] < this.to) {
      if (end[i] - start[i] >= wide) {
        this.drawSlice(c, lane, i++, y);
        continue;
      }
      const column = Math.floor(start[i] / this.perPixel);
      const next = lane.firstStarting((column + 1) * this.perPixel, i);
      const color = this.colorOf(lane, this.longest(lane, i, next));
      const high = this.highOf(lane, i, next, column);
      if (run.columns && (run.from + run.columns !== column || high !== run.high ||
          color !== run.color)) {
        this.drawRun(c, run, y);
        run.columns = 0;
      }
      if (!run.columns)
        Object.assign(run, {from: column, high, color});
      run.columns = column + 1 - run.from;
      // a wide slice that starts in this column is drawn over it
      i = next - 1 > i && end[next - 1] - start[next - 1] >= wide ? next - 1 : next;
    }
    this.drawRun(c, run, y);
  }

  drawSlice(c, lane, i, y) {
    const left = Math.max(this.x(lane.start[i]), this.side - 2);
    const right = Math.min(this.x(lane.end[i]), this.width + 2);
    c.fillStyle = this.colorOf(lane, i);
    c.fillRect(left, y + 1, Math.max(1, right - left - (right - left > 3 ? 1 : 0)), ROW - 2);
    const from = Math.max(left, this.side);
    if (right - from > LABEL)
      this.text(c, brief(this.texts.names[lane.names[i]]), from + 4, y + ROW / 2 + 1,
        right - from - 8, this.colors.onSlice);
  }

  // Equal pixel columns beside each other.
  drawRun(c, {from, columns, high, color}, y) {
    c.fillStyle = color;
    c.fillRect(this.x(from * this.perPixel), y + ROW - 1 - high, columns, high);
  }

  // The longest of the first slices of a column, or one that was searched for.
  longest(lane, i, next) {
    let longest = i;
    const until = this.marks ? next : Math.min(next, i + LOOKED_AT);
    for (let k = i; k < until; k++)
      if (this.marks && this.isFound(lane, k))
        return k;
      else if (lane.end[k] - lane.start[k] > lane.end[longest] - lane.start[longest])
        longest = k;
    return longest;
  }

  highOf(lane, i, next, column) {
    const from = column * this.perPixel, to = from + this.perPixel;
    const busy = lane.busyBefore(to, next) - lane.busyBefore(from, i);
    return Math.round((ROW - 2) * Math.min(1, Math.max(LEAST_HIGH, busy / this.perPixel)));
  }

  colorOf(lane, i) {
    if (this.marks)
      return this.isFound(lane, i) ? this.colors.found : this.colors.faint;
    if (lane.kind === 'kernel')
      return this.colors.kernels[lane.names[i] % this.colors.kernels.length];
    return lane.kind === 'copy' && lane.name.startsWith('copies out') ? this.colors.out
      : this.colors[lane.kind];
  }

  drawTitle(c, title, y) {
    c.fillStyle = this.colors.back;
    c.fillRect(0, y, this.width, HEAD - GAP);
    this.text(c, title, 8, y + HEAD / 2 + 1, this.width - 16, this.colors.strong);
  }

  // The times of the grid, and their distance.
  ticks() {
    const step = niceStep((this.to - this.from) * 110 / Math.max(110, this.width - this.side));
    const out = [];
    for (let ns = Math.ceil(this.from / step) * step; ns <= this.to; ns += step)
      out.push(ns);
    return [out, step];
  }

  drawGrid(c) {
    c.fillStyle = this.colors.grid;
    for (const ns of this.ticks()[0])
      c.fillRect(Math.round(this.x(ns)), AXIS - 6, 1, this.shown);
  }

  drawAxis(c) {
    const [ticks, step] = this.ticks();
    c.fillStyle = this.colors.back;
    c.fillRect(0, 0, this.width, AXIS - 6);
    for (const ns of ticks)
      this.text(c, axisTime(ns, step), Math.round(this.x(ns)) + 3, AXIS / 2 - 2, 100, this.colors.dim);
    this.text(c, time(this.to - this.from) + ' shown', 8, AXIS / 2 - 2, this.side - 12,
      this.colors.dim);
  }

  drawSelection(c) {
    const chosen = this.selection;
    if (!chosen)
      return;
    const left = Math.max(this.side, this.x(chosen[0])), right = this.x(chosen[1]);
    c.fillStyle = this.colors.selection;
    c.fillRect(left, 0, Math.max(1, right - left), this.shown);
  }

  // ---- pointer and keys

  listen() {
    const {canvas} = this;
    canvas.addEventListener('wheel', event => this.onWheel(event), {passive: false});
    canvas.addEventListener('pointerdown', event => this.onDown(event));
    canvas.addEventListener('pointermove', event => this.onMove(event));
    for (const name of ['pointerup', 'pointercancel'])
      canvas.addEventListener(name, event => this.onUp(event));
    canvas.addEventListener('pointerleave', () => this.tip.hidden = true);
    canvas.addEventListener('dblclick', event => {
      const hit = this.hit(event);
      if (hit)
        this.zoomTo(hit.lane, hit.slice);
    });
    canvas.addEventListener('keydown', event => this.onKey(event));
    for (const name of ['focus', 'blur'])
      canvas.addEventListener(name, () => this.redraw());
    this.frame.addEventListener('scroll', () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.frame);
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return {x, y, ns: this.from + (x - this.side) * this.perPixel};
  }

  hit(event) {
    const {x, y, ns} = this.place(event), at = y + this.frame.scrollTop - AXIS;
    const row = this.lanes.find(({y: top}) => at >= top && at < top + ROW);
    if (!row || x < this.side || y < AXIS)
      return null;
    const slice = row.lane.at(ns - this.perPixel, ns + this.perPixel);
    return slice < 0 ? null : {lane: row.lane, slice};
  }

  // The page scrolls unless the timeline has the focus or Ctrl is pressed.
  onWheel(event) {
    const focused = document.activeElement === this.canvas;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!sideways && !focused && !event.ctrlKey && !event.metaKey)
      return;
    event.preventDefault();
    if (sideways)
      this.pan((event.deltaX || event.deltaY) / 1000);
    else
      this.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), this.place(event).ns);
  }

  onDown(event) {
    this.canvas.focus({preventScroll: true});
    this.canvas.setPointerCapture(event.pointerId);
    const {x, y, ns} = this.place(event);
    this.pointers.set(event.pointerId, x);
    this.selecting = event.shiftKey || y < AXIS ? ns : null;
    this.moved = false;
  }

  onMove(event) {
    const {x, ns} = this.place(event), before = this.pointers.get(event.pointerId);
    if (before === undefined)
      return this.hover(event);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    this.pointers.set(event.pointerId, x);
    this.moved ||= Math.abs(x - before) > 2;
    if (others.length) {
      const other = others[0][1], fixed = this.from + (other - this.side) * this.perPixel;
      this.zoom(Math.max(10, Math.abs(before - other)) / Math.max(10, Math.abs(x - other)), fixed);
    } else if (this.selecting !== null)
      this.select([Math.min(ns, this.selecting), Math.max(ns, this.selecting)]);
    else
      this.pan((before - x) / Math.max(1, this.width - this.side));
  }

  onUp(event) {
    this.pointers.delete(event.pointerId);
    if (this.moved || event.type === 'pointercancel')
      return;
    const hit = this.hit(event);
    if (!hit)
      return this.select(null);
    this.cursor = {row: this.lanes.findIndex(row => row.lane === hit.lane), slice: hit.slice};
    this.select([hit.lane.start[hit.slice], hit.lane.end[hit.slice]]);
    this.say();
  }

  onKey(event) {
    const actions = {
      ArrowLeft: () => this.pan(-PAN), ArrowRight: () => this.pan(PAN),
      '+': () => this.zoom(1 / ZOOM), '=': () => this.zoom(1 / ZOOM), '-': () => this.zoom(ZOOM),
      0: () => this.fit(), Home: () => this.fit(), Escape: () => this.select(null),
      ArrowUp: () => this.move(-1, 0), ArrowDown: () => this.move(1, 0),
      ',': () => this.move(0, -1), '.': () => this.move(0, 1),
      Enter: () => this.cursor.slice >= 0 &&
        this.zoomTo(this.lanes[this.cursor.row].lane, this.cursor.slice),
      '/': () => this.find.focus()};
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    actions[event.key]();
  }

  // Moves the keyboard's place to another lane or slice.
  move(rows, slices) {
    const row = Math.max(0, Math.min(this.lanes.length - 1, this.cursor.row + rows));
    const {lane} = this.lanes[row];
    let slice = this.cursor.slice + slices;
    if (rows || this.cursor.slice < 0)
      slice = Math.min(lane.firstEnding(Math.max(0, this.from)), lane.count - 1);
    slice = Math.max(0, Math.min(lane.count - 1, slice));
    this.cursor = {row, slice};
    this.frame.scrollTop = Math.min(this.frame.scrollTop, this.lanes[row].y);
    if (this.lanes[row].y + ROW + AXIS > this.frame.scrollTop + this.shown)
      this.frame.scrollTop = this.lanes[row].y + ROW + AXIS - this.shown;
    this.reveal(lane, slice);
    this.select([lane.start[slice], lane.end[slice]]);
    this.say();
  }

  reveal(lane, slice) {
    const half = (this.to - this.from) / 2, ns = lane.start[slice];
    if (ns < this.from || ns > this.to)
      this.look(ns - half, ns + half);
  }

  zoomTo(lane, slice) {
    const margin = (lane.end[slice] - lane.start[slice]) * 0.5 + 10;
    this.look(lane.start[slice] - margin, lane.end[slice] + margin);
  }

  // ---- what a slice is

  describe(lane, i) {
    const ns = lane.end[i] - lane.start[i], bytes = lane.bytes[i];
    const site = this.texts.sites[lane.sites[i]];
    const moves = lane.kind === 'copy' || lane.kind === 'wait';
    const lines = [time(ns) + ', from ' + axisTime(lane.start[i], ns || 1)];
    if (bytes)
      lines.push(size(bytes) + (moves ? ` at ${rate(bytes, ns)}` : ''));
    if (lane.sites[i])
      lines.push([site.label, site.function && `in ${brief(site.function)}`,
        lane.kind === 'copy' || lane.kind === 'kernel' ? `by ${site.call}` : '']
        .filter(Boolean).join(' '));
    return {name: this.texts.names[lane.names[i]], lines, source: site.text};
  }

  hover(event) {
    const hit = this.hit(event);
    this.tip.hidden = !hit;
    if (!hit)
      return;
    const {name, lines, source} = this.describe(hit.lane, hit.slice);
    this.tip.replaceChildren(el('b', name), ...lines.map(line => el('div', line)),
      source ? el('code', source) : '');
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    this.tip.style.left = Math.max(0, Math.min(x + 14, box.width - this.tip.offsetWidth - 4)) + 'px';
    this.tip.style.top = y + 18 + 'px';
  }

  say() {
    const {lane} = this.lanes[this.cursor.row];
    const {name, lines, source} = this.describe(lane, this.cursor.slice);
    this.said.textContent = [lane.name + ': ' + name, ...lines, source].filter(Boolean).join(' \u00b7 ');
  }

  // Shows what ran between two times, by lane and by name.
  select(range) {
    this.selection = range;
    this.redraw();
    if (!range)
      return this.sums.replaceChildren();
    const sums = new Map();
    for (const {lane} of this.lanes)
      this.addUp(lane, range, sums);
    const rows = [...sums.values()].sort((a, b) => b.ns - a.ns);
    this.sums.replaceChildren(rows.length ? table(`Sums of ${time(range[1] - range[0])}`,
      [[`In the selected ${time(range[1] - range[0])}`], ['number', 1], ['time', 1], ['share', 1],
        ['bytes', 1], ['rate', 1]],
      rows.slice(0, 12).map(sum => [brief(this.texts.names[sum.name]), sum.number, time(sum.ns),
        percent(sum.ns, range[1] - range[0]), sum.bytes ? size(sum.bytes) : '',
        sum.moves && sum.bytes ? rate(sum.bytes, sum.ns) : ''])) : '');
  }

  addUp(lane, [from, to], sums) {
    const own = new Map();
    for (let i = lane.firstEnding(from); i < lane.count && lane.start[i] < to; i++) {
      let sum = own.get(lane.names[i]);
      if (!sum) {
        const key = lane.kind + lane.names[i];
        sum = sums.get(key) || {name: lane.names[i], number: 0, ns: 0, bytes: 0,
          moves: lane.kind === 'copy'};
        sums.set(key, sum);
        own.set(lane.names[i], sum);
      }
      const ns = lane.end[i] - lane.start[i];
      const inside = Math.min(to, lane.end[i]) - Math.max(from, lane.start[i]);
      sum.number++;
      sum.ns += Math.max(0, inside);
      sum.bytes += ns > 0 ? Math.round(lane.bytes[i] * Math.max(0, inside) / ns) : lane.bytes[i];
    }
  }

  // ---- search

  search(text) {
    const wanted = text.trim().toLowerCase();
    const has = (...texts) => texts.some(t => t && t.toLowerCase().includes(wanted)) ? 1 : 0;
    this.marks = wanted ? {
      names: Uint8Array.from(this.texts.names, name => has(name)),
      sites: Uint8Array.from(this.texts.sites, (s, i) => i ? has(s.label, s.function, s.text) : 0),
    } : null;
    let found = 0;
    for (const {lane} of this.marks ? this.lanes : [])
      for (let i = 0; i < lane.count; i++)
        found += this.isFound(lane, i);
    this.found.textContent = this.marks ? count(found, 'match').replace('matchs', 'matches') : '';
    this.redraw();
  }

  isFound(lane, i) {
    return this.marks.names[lane.names[i]] | this.marks.sites[lane.sites[i]];
  }

  // Goes to the next match in time, or to the one before.
  next(back) {
    if (!this.marks || !this.lanes.length)
      return;
    const {lane: at} = this.lanes[this.cursor.row], now = this.cursor.slice < 0 ? -1
      : at.start[this.cursor.slice] + this.cursor.row / 1e6;
    let best = null, bestTime = 0;
    this.lanes.forEach(({lane}, row) => {
      for (let i = 0; i < lane.count; i++) {
        const when = lane.start[i] + row / 1e6;
        const ahead = back ? when < now : when > now;
        if (ahead && this.isFound(lane, i) && (!best || (back ? when > bestTime : when < bestTime))) {
          best = {row, slice: i};
          bestTime = when;
        }
      }
    });
    if (!best)
      return;
    this.cursor = best;
    this.move(0, 0);
  }
}

// A kernel's name without its namespaces, arguments and return type.
function brief(name) {
  const end = name.search(/[(<]/);
  const bare = (end > 0 ? name.slice(0, end) : name).replace(/^void /, '').split('::').pop();
  return bare || name;
}

function niceStep(least) {
  const unit = 10 ** Math.floor(Math.log10(least));
  return unit * [1, 2, 5, 10].find(n => n * unit >= least);
}

// A time with as many digits as tell it from one that is a step later.
function axisTime(ns, step) {
  const [unit, name] = Math.abs(ns) >= 1e9 ? [1e9, 's'] : Math.abs(ns) >= 1e6 ? [1e6, 'ms']
    : Math.abs(ns) >= 1e3 ? [1e3, 'us'] : [1, 'ns'];
  const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9)));
  return `${(ns / unit).toFixed(digits)} ${name}`;
}

function colorsOf(element) {
  const style = getComputedStyle(element);
  const get = name => style.getPropertyValue('--' + name).trim();
  const out = {kernels: [0, 1, 2, 3, 4].map(i => get('kernel' + i))};
  for (const name of ['back', 'lane', 'grid', 'text', 'dim', 'strong', 'select', 'selection', 'found',
    'faint', 'call', 'wait', 'allocation', 'copy', 'out', 'kernel'])
    out[name] = get(name);
  out.onSlice = get('on-slice');
  return out;
}
