// SPDX-License-Identifier: MIT
// The sections of the page, from the JSON report (docs/json.md).

const partColors = {copies: 'copy', kernels: 'kernel', waits: 'wait', allocation: 'allocation',
  pinning: 'allocation', host: 'faint', migration: 'out'};
const swatch = color => el('i', {style: `background: var(--${color})`});
const legend = items => el('div.legend', items.map(([color, ...text]) =>
  el('span', swatch(color), text)));

const section = (title, note, ...parts) =>
  el('section', el('h2', title, note ? [' ', el('small', note)] : null), ...parts);

// "stencil.cu:64", or the function and its module
function place(site) {
  if (site.file && site.line !== null)
    return `${site.file.split('/').pop()}:${site.line}`;
  return [site.call, site.function || site.module?.split('/').pop()].filter(Boolean).join(' in ');
}

const rowName = row => row.strategy + (row.n_streams === null ? '' : ` n=${row.n_streams}`) +
  (row.order ? ` ${row.order}` : '');

// The program without its folder, and its arguments; the file if they are unknown.
function commandOf({app, path}) {
  const [program, ...rest] = (app || path?.split('/').pop() || '?').split(' ');
  return [program.split('/').pop(), ...rest].join(' ');
}

const themeButton = () => el('button', {type: 'button', click: () =>
  setTheme(theme.theme === 'dark' ? 'light' : 'dark')}, 'Dark / light');

const madeBy = () => el('p.dim',
  'Made by xferspy, without a network. Times are predictions where the text says so.');

function header({trace, machine, machine_choice: choice}) {
  const command = commandOf(trace);
  const device = trace.devices[0];
  const versions = [device?.name && (trace.devices.length > 1 ? `${trace.devices.length} x ` : '') +
    device.name, trace.driver_version && `driver ${trace.driver_version}`,
    trace.cupti_version && `CUPTI ${trace.cupti_version}`,
    `profile ${machine.name} (${choice.origin || machine.source})`,
    choice.reason].filter(Boolean).join(', ');
  const when = [trace.pid !== null && `pid ${trace.pid}`,
    trace.ranks > 1 && `rank ${trace.rank} of ${trace.ranks}`, trace.host && `on ${trace.host}`,
    trace.started_utc].filter(Boolean).join(' ');
  document.title = `${command} - xferspy`;
  return el('header', el('h1', command), el('p.dim', [when, versions].filter(Boolean).join(' \u00b7 ')),
    themeButton());
}

const theme = document.documentElement.dataset;

function setTheme(name) {
  theme.theme = name;
  redrawAll();
}

// A verdict, what the time `all` went to, and what is to be known of it.
function verdictBox(text, bounds, all, notes) {
  const lines = (text || '').split('\n');
  const parts = all > 0 ? bounds.filter(part => part.ns > 0) : [];
  const color = part => partColors[part.what] || 'call';
  return el('section.verdict', {'aria-label': 'Verdict'},
    el('div', {id: 'verdict'}, lines.map(line => el('p', line))),
    parts.length ? [el('div.parts', {role: 'img', 'aria-label': parts.map(part =>
      `${part.what} ${percent(part.ns, all)}`).join(', ')},
    parts.map(part => el('div', {style: `flex: ${part.ns / all}; background: var(--${color(part)})`,
      title: `${part.what}: ${time(part.ns)}, ${percent(part.ns, all)}`}))),
    legend(parts.filter(part => part.ns > all / 200).map(part => [color(part),
      `${part.what} ${percent(part.ns, all)}`]))] : null,
    notes.map(note => el('p.warn', '! ' + note)));
}

// The rounds that count: a first one that warms up does not.
const roundsOf = phase => phase.rounds - (phase.warm_up_ns > 0);
// The step's row of the table.
const rowOf = (report, s) => report.phases.find(phase => phase.id === s.phase).estimates.find(row =>
  row.model === 'replay' && row.strategy === s.strategy && row.n_streams === s.n_streams && row.order === s.order);

const numberOf = s => `${s.step}${s.question ? '?' : '.'} `;

function step(s, report, rounds) {
  const [, how, figure] = s.shown.saving.match(/(may save|saves about|saves) ((?:up to )?\S+ \w+)/) || [];
  return el('li',
    el('div', how ? el('div.saves', el('small', how), figure) : null),
    el('div', el('div', numberOf(s), el('span.chip', rowName(s)), `: ${s.shown.title}`,
      rounds ? el('button.see', {type: 'button', click: () => {
        rounds.showStep(s);
        rounds.element.scrollIntoView();
      }}, 'See it') : null),
    el('small', s.shown.saving), el('p', s.text),
    s.shown.conditions ? el('p.dim', s.shown.conditions) : null, s.code ? el('pre', s.code) : null));
}

// A step of no phase: access to another GPU's memory, or memory pinned in the start-up.
function otherStep(name, s) {
  return el('li',
    el('div', el('div.saves', el('small', s.question ? 'may save' : 'saves at most'), time(s.saves_ns))),
    el('div', el('div', numberOf(s), el('span.chip', name), `: ${s.title}`),
      el('small', s.saving), el('p', s.advice),
      s.condition ? el('p.dim', 'only if ' + s.condition) : null, el('pre', s.code)));
}

function plan(report, rounds) {
  const {plan: steps, no_step: none, no_pinning: unpinned, question, question_code: code} = report;
  const {pinning} = report.verdict;
  const all = [...steps.map(s => [s.step, step(s, report, rounds)]),
    ...(report.gpu_links || []).filter(link => link.step).map(link => [link.step, otherStep('peer access', link)]),
    ...(pinning?.step ? [[pinning.step, otherStep('register', pinning)]] : []),
    ...(question ? [[Infinity, el('li', el('div'),
      el('div', el('p.warn', question), code ? el('pre', code) : null))]] : [])].sort(([a], [b]) => a - b);
  return section('What to change', steps.length > 1 ? 'in this order; each step adds to those before' : '',
    none ? el('p', none) : null,
    none && code ? el('pre', code) : null,
    all.length ? el('ol.plan', all.map(([, item]) => item)) : null,
    steps.length ? el('p.dim', 'Ranges hold 90 % of the rounds of other runs; a saving is by them and the setup.') : null,
    unpinned ? el('p', unpinned) : null);
}

const timelines = [];
const redrawAll = () => timelines.forEach(timeline => timeline.redraw());

function timeline(trace) {
  const run = trace.views[0];
  if (!run?.lanes.length)
    return null;
  const shown = new Timeline('Timeline of the run', [{lanes: run.lanes, wall: trace.report.trace.wall_ns}]);
  timelines.push(shown);
  return section('Timeline', 'the run as it was. Drag: pan. Shift + drag, or drag on the axis: sums. ' +
    'Wheel: zoom after a click, or with Ctrl. Double click: zoom to it',
  shown.element, kindsLegend());
}

// The views of a phase: one as it was, then one for each strategy.
const viewsOf = (trace, phase) => trace.views.filter(view => view.phase === phase);

// The view of a round as replay predicts the step's row, or undefined.
function predictedView({report, views}, step) {
  const row = rowOf(report, step);
  return views.find(({phase, estimate}) => estimate !== null && report.phases[phase].estimates[estimate] === row);
}

// The mark of a time that is not well known.
const aboutRow = row => isKnown(row) ? '' : '~';
// A row's round, as the text report has it.
const roundOfRow = row => aboutRow(row) + time(row.shown.round_ns);
const rangeOfRow = row => range(row.shown.low_ns, row.shown.high_ns);

const withTracing = phase => phase.tracer_ns ? ` (recorded as ${
  time(perRound(phase) + phase.tracer_ns)} with tracing)` : '';

const titleOf = (phase, row) => row
  ? `With ${rowName(row)}: ${roundOfRow(row)} a round (${rangeOfRow(row)})` +
    (row.speedup && isKnown(row) ? `, ${significant(row.shown.speedup)}x` : '') + (row.needs ? `, if ${row.needs}` : '')
  : `As it was: ${time(perRound(phase))}, the median of ${count(roundsOf(phase), 'round')}${untilNext(phase)}` +
    withTracing(phase);

// A round as it was above the round as replay predicts it.
class Comparison {
  constructor(trace) {
    Object.assign(this, {trace, phases: trace.report.phases.map((phase, i) => i)
      .filter(i => viewsOf(trace, i).length > 1)});
    this.choice = el('select', {'aria-label': 'Phase', change: () =>
      this.show(this.phases[this.choice.selectedIndex])}, this.phases.map(i => el('option',
      `phase ${trace.report.phases[i].id}: ${trace.report.phases[i].signature}`)));
    this.buttons = el('div.tools', {role: 'group', 'aria-label': 'Strategy'});
    this.timeline = new Timeline('A round as it was and as it would be', []);
    timelines.push(this.timeline);
    this.show(this.phases[0]);
    if (trace.report.plan.length)
      this.showStep(trace.report.plan[0]);
    this.element = section('As it would be', 'a round of a phase as it was, and as replay predicts it',
      this.phases.length > 1 ? this.choice : null, this.buttons, this.timeline.element);
  }

  show(phase, wanted) {
    const {report} = this.trace, of = report.phases[phase];
    const [was, ...views] = viewsOf(this.trace, phase), view = wanted || views[0];
    const row = view => of.estimates[view.estimate];
    this.choice.selectedIndex = this.phases.indexOf(phase);
    this.buttons.replaceChildren(...views.map(other => el('button', {type: 'button',
      'aria-pressed': other === view, click: () => this.show(phase, other)},
    rowName(row(other)) + (row(other).needs ? ' *' : ''))));
    this.timeline.show([{title: titleOf(of), name: 'was', lanes: was.lanes},
      {title: titleOf(of, row(view)) + (view.rounds > 1 ? `; ${view.rounds} rounds` : ''),
        name: 'would be', lanes: view.lanes}]);
  }

  // Shows a step of the plan; nothing if it has no view.
  showStep(step) {
    const view = predictedView(this.trace, step);
    if (view)
      this.show(view.phase, view);
  }
}

const kindsLegend = () => legend([['range', 'NVTX range'], ['call', 'call'], ['wait', 'the host waits'],
  ['allocation', 'allocation, free'], ['copy', 'copy'], ['out', 'copy out'],
  ['kernel0', ...[1, 2, 3, 4].map(i => swatch('kernel' + i)), 'kernels, by name']]);

function totals({report, texts}) {
  const {steady, verdict: v, trace} = report;
  const t = steady ? steady.totals : report.totals;
  const wall = untracedWall(trace), whole = steady ? v.steady_ns : wall, rounds = steady?.rounds || 1;
  const moved = (bytes, ops, ns) => bytes ? `${size(bytes / rounds)} in ` +
    `${count(Math.round(100 * ops / rounds) / 100, 'op')}, ${rate(bytes, ns)}` : '';
  const traced = steady ? v.tracer_ns : trace.tracer_ns;
  const rows = [
    [steady ? 'steady part' : 'run', whole, traced ? `without ${time(traced / rounds)} of tracing` : ''],
    ['copies in', t.h2d_ns, moved(t.h2d_bytes, t.h2d_ops, t.h2d_ns)],
    ['kernels', t.kernel_ns, t.kernels ? `${Math.round(100 * t.kernels / rounds) / 100} launched` : ''],
    ['copies out', t.d2h_ns, moved(t.d2h_bytes, t.d2h_ops, t.d2h_ns)],
    ['copies on the device', t.d2d_ns || 0, moved(t.d2d_bytes, t.d2d_ops, t.d2d_ns)],
    ['copies between GPUs', t.p2p_ns || 0, moved(t.p2p_bytes, t.p2p_ops, t.p2p_ns)],
    ['migrations in', t.migrated_h2d_ns || 0, moved(t.migrated_h2d_bytes, 0, t.migrated_h2d_ns)],
    ['migrations out', t.migrated_d2h_ns || 0, moved(t.migrated_d2h_bytes, 0, t.migrated_d2h_ns)],
    ['GPU busy', t.gpu_busy_ns, t.overlap_ns ? `${time(t.overlap_ns / rounds)} with two kinds of op at once`
      : texts.no_overlap],
    ['host blocked', t.host_blocked_ns, `all threads${traced ? `; of ${time((whole + traced) / rounds)} with tracing` : ''}`],
    ['CUDA start-up', t.init_ns || 0, t.init_at_most ? 'upper bound; the call was not recorded' : 'not counted elsewhere'],
    ['pinning', t.pinned_alloc_ns || 0, 'allocates or registers memory'],
  ].filter(([, ns]) => ns !== 0);
  return section('Where the time went', steady ? steady.rounds ? `in the steady part, divided by its ` +
    count(steady.rounds, 'round') : 'in the steady part' : 'of the run',
  table('Where the time went', [[''], [rounds > 1 ? 'per round' : 'time', 1],
    [steady ? 'of part' : '', 1], ['of run', 1], ['']],
  rows.map(([name, ns, note]) => {
    const more = name === 'host blocked' && traced;
    return [name, time(ns && ns / rounds), steady ? percent(ns, whole + more) : '',
      percent(ns, more ? trace.wall_ns : wall), note];
  })), texts.pinning_outside ? el('p', texts.pinning_outside) : null);
}

function waits(report) {
  const {steady, trace} = report, rounds = steady?.rounds || 1;
  const list = (steady ? steady.waits : report.waits).filter(wait => wait.waited_ns > 0);
  if (!list.length)
    return null;
  const wall = trace.wall_ns;
  const whole = steady ? report.verdict.steady_ns + report.verdict.tracer_ns : wall;
  // shares only of what is together no more than the whole
  const all = list.reduce((ns, wait) => ns + wait.waited_ns, 0);
  const share = (ns, of) => all > whole ? '-' : percent(ns, of);
  return section('What the host waited for', `longest first; all threads${trace.tracer_ns ? '; recorded with tracing' : ''}`,
    table('Waits', [[rounds > 1 ? 'per round' : 'time', 1], [steady ? 'of part' : '', 1], ['of run', 1], ['where, and for what']],
      list.map(({waited_ns: ns, text}) => [time(ns / rounds), steady ? share(ns, whole) : '', share(ns, wall), text])));
}

function ranges({nvtx}) {
  return nvtx && section('NVTX ranges', 'each: the median; else sums; in, kernels, out: what they issued',
    nvtx.missing ? el('p', `none: ${nvtx.missing}`) : table('NVTX ranges', [['count', 1], ['range'], ['each', 1],
      ['all', 1], ['in', 1], ['kernels', 1], ['out', 1], ['waits', 1], ['what they issued']],
    nvtx.ranges.map(r => [r.count, (r.domain ? `${r.domain}: ` : '') + r.name +
      (r.process ? ' (process)' : ''), ...[r.range_ns, r.total_ns, r.h2d_ns, r.kernel_ns, r.d2h_ns,
      r.host_blocked_ns].map(ns => time(ns || null)), [r.h2d_bytes && `${size(r.h2d_bytes)} in`,
      r.d2h_bytes && `${size(r.d2h_bytes)} out`].filter(Boolean).join(', ')])),
    nvtx.lost ? el('p.warn', `! ${nvtx.lost} ranges were lost`) : null);
}

function phases({report: {phases: list, phases_rest: rest, trace}, texts}) {
  const moved = (bytes, memory) => bytes ? `${size(bytes)} ${memory || ''}` : '-';
  return section('Phases', 'groups of similar rounds; median of one round',
    !list.length ? el('p', `none: ${texts.no_phases}`) : table('Phases', [['#'], ['rounds', 1], ['per round', 1], ['90 % of them', 1], ['of run', 1], ['in'],
      ['kernels', 1], ['out'], ['what it does']],
    list.map(p => [p.id, roundsOf(p), time(perRound(p)) + withTracing(p),
      p.used_between_ns ? '-' : range(p.round_low_ns, p.round_high_ns),
      percent(p.in_run_ns, untracedWall(trace)),
      moved(p.h2d_bytes, p.src_memory), time(p.kernels_ns),
      moved(p.d2h_bytes, p.dst_memory), p.text || p.signature])),
    rest.phases ? el('p.dim', `${count(rest.phases, 'shorter phase')} of ` +
      `${count(rest.rounds, 'round')}, ${time(rest.total_ns)} in all`) : null);
}

// The published equation for the same strategy and number of streams.
function published(phase, row) {
  const other = phase.estimates.find(e => e.model !== 'replay' && e.applies &&
    e.strategy === row.strategy && e.n_streams === row.n_streams && (!e.order || e.order === row.order));
  return other ? `${time(other.shown.round_ns)} ${other.model}` : '';
}

function strategies({report, texts}) {
  const rows = [], between = report.phases.filter(phase => phase.used_between_ns);
  report.phases.forEach(phase => listed(phase).forEach((row, first) => {
    rows.push([first ? '' : phase.id, rowName(row) + (row.needs ? ' *' : ''),
      roundOfRow(row), rangeOfRow(row),
      row.speedup ? `${aboutRow(row)}${significant(row.shown.speedup)}x` : '-',
      row.shown.saves_ns ? aboutRow(row) + time(row.shown.saves_ns) : '-', time(row.setup_ns || null),
      row.app_wall_ns === null ? '-' : aboutRow(row) + time(row.app_wall_ns),
      row.effort || '', published(phase, row)]);
  }));
  const needs = new Set(report.phases.flatMap(listed).map(row => row.needs).filter(Boolean));
  return rows.length ? section('Strategies', 'each by itself: a round, its range in other runs, and the run',
    table('Strategies', [['#'], ['strategy'], ['round', 1], ['90 % range', 1], ['speedup', 1], ['saves', 1], ['once', 1], ['run', 1],
      ['effort'], ['published equation']], rows),
    ...between.map(phase => el('p.dim', `phase ${phase.id}: each with the host's ${time(phase.used_between_ns)} until the next round`)),
    texts.beyond ? el('p.dim', `no step: ${texts.beyond}`) : null,
    needs.size ? el('p.dim', '* on a condition that the trace does not show: ' + [...needs].join('; ')) : null) : null;
}

function severalRuns({runs}) {
  if (!runs)
    return null;
  const row = (name, of, {median, low, high, least, most}) => [name, time(median), range(low, high),
    range(least, most), median === null ? '' : of > 1 ? percent(most - least, median) : '-'];
  return section('Runs', `${runs.count} of one program; the report is of the median one`,
    runs.warnings.map(text => el('p.warn', '! ' + text)), el('p', runs.paths[runs.reported]),
    table('Runs', [['time'], ['median', 1], ['its range', 1], ['all runs', 1], ['spread', 1]],
      [...runs.totals.filter(({unit, value}) => unit === 'ns' && value.most !== 0)
        .map(({name, value}) => row(name, runs.count, value)),
      ...runs.phases.slice(0, 4).map(({id, runs: of, round_ns: round}) =>
        row(`round of phase ${id}${of < runs.count ? `, in ${count(of, 'run')}` : ''}`, of, round))]));
}

function coverage({coverage: c}) {
  return section('Coverage', '', el('p', `${count(c.api_calls_seen, 'call')}, ` +
    `${count(c.gpu_ops_seen, 'GPU op')}, ${c.matched} joined to their calls`),
  (c.remarks || []).map(text => el('p.dim', text)));
}

function sections(trace) {
  const {report} = trace;
  timelines.length = 0;
  const run = timeline(trace);
  const rounds = trace.views.some(view => view.estimate !== null) ? new Comparison(trace) : null;
  const {text, known, bounds, recorded_ns: all} = report.verdict;
  return [header(report), severalRuns(report), verdictBox([report.opening && `In short: ${report.opening}`, text].filter(Boolean).join('\n'), known ? bounds : [], all, report.coverage.notes),
    plan(report, rounds), run, rounds?.element, charts(trace),
    totals(trace),
    waits(report), ranges(report), phases(trace), strategies(trace), coverage(report),
    madeBy()];
}

async function main() {
  const root = document.getElementById('report');
  try {
    const job = await readJson('job'), diff = await readJson('diff'), traces = job ? [] : await readTraces();
    const body = el('div');
    const show = i => body.replaceChildren(...(job?.job ? jobSections(job.job) : job ? jobDiffSections(job.job_diff)
      : diff ? diffSections(diff, traces) : sections(traces[i]))
      .filter(Boolean));
    const names = traces.map(({report}) => report.trace.path || '?');
    root.replaceChildren(traces.length > 1 && !diff ? el('select', {'aria-label': 'Trace',
      change: event => show(event.target.selectedIndex)}, names.map(name => el('option', name))) : '', body);
    show(0);
    window.xferspy = {traces, timelines};
  } catch (error) {
    root.replaceChildren(el('p.warn', `This report cannot be shown: ${error.message}`));
    throw error;
  } finally {
    root.removeAttribute('aria-busy');
  }
}

document.addEventListener('DOMContentLoaded', main);
const wantsDark = matchMedia('(prefers-color-scheme: dark)');
const setPreferred = () => setTheme(wantsDark.matches ? 'dark' : 'light');
wantsDark.addEventListener('change', setPreferred);
setPreferred();
// Paper is light, and shows all lanes.
let screenTheme;
addEventListener('beforeprint', () => {
  screenTheme = theme.theme;
  Object.assign(theme, {theme: 'light', paper: ''});
  timelines.forEach(timeline => timeline.draw());
});
addEventListener('afterprint', () => {
  delete theme.paper;
  setTheme(screenTheme);
});
