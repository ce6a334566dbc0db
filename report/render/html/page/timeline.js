// SPDX-License-Identifier: MIT
// The timeline: a picture that is zoomed, panned, searched and added up.

const PAN = 0.15, ZOOM = 1.5;

class Timeline extends Picture {
  // groups: [{title, name, lanes, wall}]; wall: the time of a whole run. sums and said: elements for what a selection
  // adds up to, and for the slice that the keys are at.
  constructor(label, groups) {
    super();
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
      button('All', 'Show all', () => this.fit()),
      button('Sums', 'Add up what is shown', () => this.select([Math.max(this.from, this.least), Math.min(this.to, this.most)])));
    this.element = el('div.timeline', this.tools, this.frame, this.tip, this.said, this.sums);
    this.pointers = new Map();
    this.listen();
    this.show(groups);
  }

  show(groups) {
    this.rows = [];
    let y = 0;
    for (const {title, name, lanes} of groups) {
      if (title) {
        this.rows.push({title, y});
        y += HEAD;
      }
      for (const lane of lanes) {
        this.rows.push({lane, y, group: name});
        y += ROW + GAP;
      }
    }
    this.height = y + AXIS;
    this.lanes = this.rows.filter(row => row.lane);
    const lanes = this.lanes.map(row => row.lane).filter(lane => lane.count);
    const walls = groups.map(group => group.wall).filter(Boolean);
    this.least = walls.length ? 0 : Math.min(...lanes.map(lane => lane.start[0]), Infinity);
    this.most = Math.max(this.least + 1000, ...walls, ...lanes.map(lane => lane.last));
    this.cursor = {row: 0, slice: -1};
    this.spacer.style.height = this.height + 'px';
    this.select(null);
    this.search(this.find.value);
    this.fit();
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
    // on paper it is as beforeprint drew it
    new ResizeObserver(() => 'paper' in theme || this.redraw()).observe(this.frame);
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
    const site = lane.texts.sites[lane.sites[i]];
    const moves = lane.kind === 'copy' || lane.kind === 'wait';
    const lines = [time(ns) + ', from ' + axisTime(lane.start[i], ns || 1)];
    if (bytes)
      lines.push(size(bytes) + (moves ? ` at ${rate(bytes, ns)}` : ''));
    if (lane.sites[i])
      lines.push([site.label, site.function && `in ${brief(site.function)}`,
        lane.kind === 'copy' || lane.kind === 'kernel' ? `by ${site.call}` : '']
        .filter(Boolean).join(' '));
    return {name: lane.texts.names[lane.names[i]], lines, source: site.text};
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
    for (const row of this.lanes)
      this.addUp(row, range, sums);
    const rows = [...sums.values()].sort((a, b) => b.ns - a.ns);
    this.sums.replaceChildren(rows.length ? table(`Sums of ${time(range[1] - range[0])}`,
      [[`In the selected ${time(range[1] - range[0])}`], ['number', 1], ['time', 1], ['of selected', 1],
        ['bytes', 1], ['rate', 1]],
      rows.slice(0, 12).map(sum => [[sum.group, this.label(sum.lane, sum.name)].filter(Boolean).join(': '),
        sum.number, time(sum.ns),
        percent(sum.ns, range[1] - range[0]), sum.bytes ? size(sum.bytes) : '',
        sum.moves && sum.bytes ? rate(sum.bytes, sum.ns) : ''])) : '');
  }

  addUp({lane, group}, [from, to], sums) {
    const own = new Map();
    for (let i = lane.firstEnding(from); i < lane.count && lane.start[i] < to; i++) {
      let sum = own.get(lane.names[i]);
      if (!sum) {
        const key = [group, lane.kind, lane.names[i]].join();
        sum = sums.get(key) || {group, lane, name: lane.names[i], number: 0, ns: 0, bytes: 0,
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
    const marksOf = ({names, sites}) => ({names: Uint8Array.from(names, name => has(name)),
      sites: Uint8Array.from(sites, (s, i) => i ? has(s.label, s.function, s.text) : 0)});
    this.marks = wanted ? new Map([...new Set(this.lanes.map(({lane}) => lane.texts))]
      .map(texts => [texts, marksOf(texts)])) : null;
    let found = 0;
    for (const {lane} of this.marks ? this.lanes : [])
      for (let i = 0; i < lane.count; i++)
        found += this.isFound(lane, i);
    this.found.textContent = this.marks ? count(found, 'match').replace('matchs', 'matches') : '';
    this.redraw();
  }

  isFound(lane, i) {
    const {names, sites} = this.marks.get(lane.texts);
    return names[lane.names[i]] | sites[lane.sites[i]];
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
