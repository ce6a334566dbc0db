// SPDX-License-Identifier: MIT
// The page of a diff, from its JSON (docs/json.md): what changed, and both runs
// above each other.

const amounts = {ns: time, bytes: size, count: n => n === null ? '-' : String(n)};
const change = (unit, n) => (n > 0 ? '+' : '') + amounts[unit](n);
const signedPercent = n => Math.abs(n) < 0.05 ? '0.0 %' : `${n > 0 ? '+' : ''}${n.toFixed(1)} %`;
const share = (part, whole) => part !== null && whole > 0 ? signedPercent(100 * part / whole) : '';

function diffHeader({before, after}) {
  document.title = `${commandOf(after)} - xferspy diff`;
  return el('header', el('h1', `${commandOf(before)} \u2192 ${commandOf(after)}`),
    el('p.dim', `before ${tracesOf(before)} \u00b7 after ${tracesOf(after)}`), themeButton());
}

const tracesOf = ({runs, path}) => runs === 1 ? path : `${runs} runs, phases of the median one, ${path}`;

function spreadText({before, after, beyond_spread: beyond}) {
  return `The medians lie in ${range(before.wall_low_ns, before.wall_high_ns)} and ` +
    `${range(after.wall_low_ns, after.wall_high_ns)}: the change is ${beyond ? 'beyond' : 'within'} ` +
    'the spread of the runs.';
}

function diffVerdict(diff) {
  const {before, after, change_percent: changed, warnings, gate, saving} = diff;
  const how = Math.abs(changed) < 0.05 ? 'as fast as before'
    : `${Math.abs(changed).toFixed(1)} % ${changed > 0 ? 'slower' : 'faster'}`;
  const unknown = before.wall_ns === null || after.wall_ns === null;
  const lines = [changed !== null ? `${time(before.wall_ns)} -> ${time(after.wall_ns)}, ${how}`
    : unknown ? 'The run times are unknown.' : 'The runs are not compared.',
  changed !== null && before.runs + after.runs > 2 && spreadText(diff), saving?.text, changed !== null && gate?.text];
  return verdictBox(lines.filter(Boolean).join('\n'), [], 0, warnings);
}

function diffTotals({before, after, change_ns, beyond_spread, totals}) {
  const run = {name: 'run', unit: 'ns', before: before.wall_ns, after: after.wall_ns, change: change_ns,
    beyond_spread};
  return section('What changed', 'largest change first',
    table('What changed', [['total'], ['before', 1], ['after', 1], ['change', 1], ['', 1], ['']],
      [run, ...totals.filter(total => total.change)].map(total =>
        [total.name + (total.unit === 'count' ? ', number' : ''), amounts[total.unit](total.before),
          amounts[total.unit](total.after), change(total.unit, total.change),
          share(total.change, total.before),
          total.change && !total.beyond_spread ? 'within the spread' : ''])));
}

// A phase of a trace's report.
const phaseOfTrace = ({report}, id) => report.phases.find(phase => phase.id === id);

function predictionText({prediction: p, unpredicted, after}, before) {
  if (!p)
    return unpredicted;
  const streams = p.n_streams === null ? '' : ` (n=${[p.n_streams, p.order].filter(Boolean).join(', ')})`;
  return `predicted for ${p.strategy}${streams}: ${time(p.round_ns)} (${range(p.low_ns, p.high_ns)}); ` +
    `measured${p.measured_ns === after.round_ns ? '' : ', without the cost of tracing'}: ${time(p.measured_ns)}, ${p.within ? 'inside' : 'outside'} the interval, ` +
    `error ${signedPercent(p.error_percent)}${
      before.used_between_ns ? "; both without the host's time until the next round" : ''}`;
}

function diffPhases({before: run, change_ns: changed, phases}, traces) {
  const all = phase => time(phase && phase.total_ns);
  const round = (i, phase) => phase ? time(perRound(phaseOfTrace(traces[i], phase.id))) : '-';
  return phases.length ? section('Phases', 'largest change of the run first',
    table('Phases', [['phase'], ['matched by'], ['per round', 1], ['after', 1], ['all rounds', 1],
      ['after', 1], ['change', 1], ['of run', 1], ['what changed, and what was predicted']],
    phases.slice(0, 20).map(({before, after, ...phase}) => [`${before?.id ?? '-'} > ${after?.id ?? '-'}`,
      phase.match || 'nothing', round(0, before), round(1, after), all(before), all(after), change('ns', phase.change_ns), changed === null ? '' : share(phase.change_ns, run.wall_ns),
      [!before ? 'only in after' : !after ? 'only in before' : phase.changed.join(', '),
        predictionText({...phase, after}, before && phaseOfTrace(traces[0], before.id))].filter(Boolean).map(text => el('div', text))]))) : null;
}

// Equal kernels have one colour in both runs.
function sharePaint([before, after]) {
  const colors = new Map(before.texts.names.map((name, i) => [name, before.texts.colors[i]]));
  after.texts.colors = after.texts.names.map((name, i) => colors.get(name) ?? after.texts.colors[i]);
}

function runs({before, after}, traces) {
  const shown = new Timeline('Timeline of both runs', traces.map(({views}, i) => ({
    title: i ? `After: ${time(after.wall_ns)}` : `Before: ${time(before.wall_ns)}`,
    name: i ? 'after' : 'before', lanes: views[0]?.lanes || [], wall: (i ? after : before).wall_ns})));
  timelines.push(shown);
  return section('Timeline', 'both runs as they were', shown.element, kindsLegend());
}

// The view of that phase's round as it was.
const roundOf = (trace, id) =>
  viewsOf(trace, trace.report.phases.findIndex(phase => phase.id === id))[0];

// A round before, as it was predicted, and after.
function groupsOf({before, after, prediction: p}, traces) {
  const per = view => view?.rounds > 1 ? `; ${view.rounds} rounds` : '';
  const predicted = p && predictedView(traces[0], {...p, phase: before.id});
  return [['before', `Before: ${time(perRound(phaseOfTrace(traces[0], before.id)))}`, roundOf(traces[0], before.id)],
    ['predicted', p && `Predicted with ${rowName(p)}: ${time(p.round_ns)}${per(predicted)}`, predicted],
    ['after', `After: ${time(perRound(phaseOfTrace(traces[1], after.id)))}`, roundOf(traces[1], after.id)]]
    .filter(([, , view]) => view).map(([name, title, view]) => ({name, title, lanes: view.lanes}));
}

function roundsOfDiff({phases}, traces) {
  const pairs = phases.filter(({before, after}) => before && after);
  if (!pairs.length)
    return null;
  const shown = new Timeline('A round before and after', groupsOf(pairs[0], traces));
  timelines.push(shown);
  const choice = el('select', {'aria-label': 'Phase', change: () =>
    shown.show(groupsOf(pairs[choice.selectedIndex], traces))}, pairs.map(({before, after}) =>
    el('option', `phase ${before.id} > ${after.id}: ${before.signature}`)));
  return section('A round', 'of a phase before, as it was predicted, and after',
    pairs.length > 1 ? choice : null, shown.element);
}

function diffSections(diff, traces) {
  sharePaint(traces);
  return [diffHeader(diff), diffVerdict(diff), diffTotals(diff), diffPhases(diff, traces), runs(diff, traces),
    roundsOfDiff(diff, traces), madeBy()];
}
