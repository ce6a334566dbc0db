// SPDX-License-Identifier: MIT
// Lanes of slices on a canvas. Only what is visible is drawn; the slices of a
// pixel column are drawn as one bar, as high as their share of it.

const ROW = 20, GAP = 4, HEAD = 22, AXIS = 26, WIDE = 1.5, LABEL = 36, LOOKED_AT = 8, LEAST_HIGH = 0.2;

// Its users set frame, canvas, rows, lanes, least, most, and selection.
class Picture {
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

  resize() {
    const scale = window.devicePixelRatio || 1;
    const width = this.frame.clientWidth, height = this.frame.clientHeight;
    if (this.width !== width || this.shown !== height || this.scale !== scale) {
      Object.assign(this, {width, shown: height, scale});
      this.canvas.width = width * scale;
      this.canvas.height = height * scale;
      this.canvas.style.height = height + 'px';
    }
    this.side = Math.min(190, width * 0.48);
  }

  // Time of a pixel, also before the frame that draws the times shown.
  get perPixel() {
    return (this.to - this.from) / Math.max(1, this.width - this.side);
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

  // Writes a text, or as much of its begin, or its end, as there is room for.
  text(c, text, x, y, width, color, keepEnd) {
    c.fillStyle = color;
    const part = length => keepEnd ? text.slice(text.length - length) : text.slice(0, length);
    let length = Math.min(text.length, Math.floor(width / 5));
    while (length > 0 && c.measureText(part(length)).width > width)
      length -= Math.ceil(length / 8);
    if (length === text.length)
      c.fillText(text, x, y);
    else if (length > 2)
      c.fillText(keepEnd ? '\u2026' + part(length - 1) : part(length - 1) + '\u2026', x, y);
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
    this.text(c, lane.name, 8, y + ROW / 2 + 1, this.side - 14, this.colors.text, true);
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
      const next = Math.max(i + 1, lane.firstStarting((column + 1) * this.perPixel, i));
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
      this.text(c, this.label(lane, lane.names[i]), from + 4, y + ROW / 2 + 1,
        right - from - 8, this.colors.onSlice);
  }

  // A range has the name that its author gave it.
  label(lane, name) {
    return lane.kind === 'range' ? lane.texts.names[name] : brief(lane.texts.names[name]);
  }

  // Equal pixel columns beside each other.
  drawRun(c, {from, columns, high, color}, y) {
    c.fillStyle = color;
    c.fillRect(this.x(from * this.perPixel), y + ROW - 1 - high, columns, high);
  }

  // The longest of the first slices of a column, or one that was searched for. Any,
  // where all have the lane's colour.
  longest(lane, i, next) {
    if (!this.marks && lane.kind !== 'kernel')
      return i;
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
      return this.colors.kernels[(lane.texts.colors[lane.names[i]] ?? 0) % this.colors.kernels.length];
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
    for (const ns of ticks) {
      const x = Math.round(this.x(ns)) + 3;
      this.text(c, axisTime(ns, step), x, AXIS / 2 - 2, Math.min(100, this.width - x), this.colors.dim);
    }
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
    'faint', 'range', 'call', 'wait', 'allocation', 'copy', 'out', 'kernel'])
    out[name] = get(name);
  out.onSlice = get('on-slice');
  return out;
}
