// SPDX-License-Identifier: MIT
// The sections of the page of a job (docs/json.md).

function jobHeader({program, traces, hosts, ranks, ranks_seen: seen, machines}) {
  document.title = `${program || '?'} - xferspy`;
  return el('header', el('h1', program || 'no program'), el('p.dim', [count(traces, 'trace'),
    hosts.length && count(hosts.length, 'host'), ranks !== null && `${seen} of ${ranks} ranks`,
    machines && `machine: ${machines}`]
    .filter(Boolean).join(' \u00b7 ')), themeButton());
}

function jobStep(s, i, job) {
  const each = s.at_most ? `up to ${time(s.saves_ns.most)}` : range(s.saves_ns.least, s.saves_ns.most);
  // nothing of what is an upper bound, or may be none
  const mean = s.low_ns !== null && s.low_ns >= 0 && s.high_ns !== null && !s.at_most &&
    range(s.low_ns / s.traces, s.high_ns / s.traces);
  const spread = [s.traces > 1 && `median ${time(s.saves_ns.median)}`, mean && (s.traces > 1 ? `mean ${mean}` : mean)]
    .filter(Boolean).join('; ');
  return el('li',
    el('div', el('div.saves', el('small', `the job ${s.question ? 'may gain' : 'gains'}${s.at_most ? ' up to' : ''}${s.at_least ? ' at least' : ''}`), time(s.job_ns)),
      el('small', `${percent(s.job_ns, job.wall_ns.most)} of it`)),
    el('div', el('div', `${i + 1}${s.question ? '?' : '.'} `, el('span.chip', s.strategy), s.places ? ` at ${s.places}` : ''),
      el('small', `${s.question ? 'may save' : 'saves'} ${each} of a run${spread && ` (${spread})`}, in ${s.traces} of ${job.traces} processes` +
        (s.effort ? `; effort: ${s.effort}` : '')),
      el('p', s.text), s.condition || s.assumes ? el('p.dim', [s.condition && 'only if ' + s.condition, s.assumes && 'as long as ' + s.assumes].filter(Boolean).join('; ')) : null,
      s.code ? el('pre', s.code) : null));
}

function jobPlan(job) {
  const {plan: steps, no_step: none, question, question_code: code} = job;
  return steps.length || none || question ? section('What to change', steps.length ? 'once in the source, for ' +
    'all processes; what each adds to those before it in a process\'s plan' : '',
  none ? el('p', none) : null, el('ol.plan', steps.map((s, i) => jobStep(s, i, job))),
  question ? el('p.warn', question) : null, code ? el('pre', code) : null) : null;
}

// How many processes take how long, and each of the slowest as a dot.
function spreadChart({histogram: bars, slowest, wall_ns: wall}) {
  const {width, left, right, height, bottom, top} = CHART, base = height - bottom;
  const first = Math.min(bars[0].from_ns, wall.least), last = Math.max(bars.at(-1).to_ns, wall.most);
  const x = ns => left + (width - left - right) * (ns - first) / (last - first);
  const most = 1.15 * Math.max(...bars.map(bar => bar.traces));
  const {y, parts} = axes([wall.least, wall.most], x, time, most, value => Number.isInteger(value) ? value : '');
  for (const {from_ns: from, to_ns: to, traces} of bars.filter(bar => bar.traces))
    parts.push(titled(el('rect', {x: x(from), y: y(traces), width: Math.max(1, x(to) - x(from) - 1),
      height: base - y(traces), fill: paint('copy')}), `${range(from, to)}: ${count(traces, 'process')}`));
  parts.push(titled(el('line', {x1: x(wall.median), x2: x(wall.median), y1: top, y2: base,
    stroke: paint('strong'), 'stroke-dasharray': '4 3'}), `median: ${time(wall.median)}`));
  for (const {name, wall_ns: ns, why} of slowest)
    parts.push(titled(el('circle', {cx: x(ns), cy: base, r: 4, fill: paint(why ? 'wait' : 'call')}),
      `${name}: ${time(ns)}`));
  return figure('Run of each process', `median ${time(wall.median)}`, height, parts,
    legend([['copy', 'processes'], ['wait', 'slow ones'], ['call', 'others of the slowest']]));
}

function jobProcesses(job) {
  const {slowest, busiest, wall_ns: wall, histogram: bars} = job;
  return slowest.length ? section('Processes', `run ${range(wall.least, wall.most)}, median ${time(wall.median)}`,
    bars.length ? el('div.charts', {style: 'max-width: 620px'}, spreadChart(job)) : null,
    table('Processes', [['slowest'], ['run', 1], ['of the median', 1], ['on'], ['why']],
      slowest.map(({name, wall_ns: ns, kind, why}) => [name, time(ns),
        `${(100 * ns / wall.median).toFixed(0)} %`, kind, why])),
    busiest.length ? table('Busy processes', [["busiest, without the host's own code"], ['busy', 1], ['of the mean', 1], ['on'], ['why']],
        busiest.map(({name, busy_ns: ns, kind, why}) => [name, time(ns),
          `${(100 * ns / job.busy_mean_ns).toFixed(0)} %`, kind, why])) : null) : null;
}

// Hosts, or kinds of machines; nothing to compare with one alone.
const jobGroups = (title, what, groups) => groups.length > 1 ? section(title,
  'slowest mean first; in, out: rates of copies',
  table(title, [[what], ['processes', 1], ['run', 1], ['slowest', 1], ['in', 1], ['out', 1]],
    groups.map(g => [g.name, g.traces, time(g.mean_ns), time(g.slowest_ns), rate(g.h2d_bytes, g.h2d_ns),
      rate(g.d2h_bytes, g.d2h_ns)]))) : null;

const jobPhases = phases => phases.length ? section('Phases', 'by kernels and lines, whatever their sizes',
  table('Phases', [['phase'], ['processes', 1], ['rounds', 1], ['round', 1], ['median', 1], ['at']],
    phases.map(({kernel, places, traces, rounds, round_ns: round}) => [kernel, traces, rounds,
      range(round.least, round.most), time(round.median), places]))) : null;

// Two jobs: times, and what each change of their plans would gain.
function jobDiffSections({before, after, verdict, warnings, times, plan}) {
  const gain = (ns, atMost, traces, job) => ns === null ? 'not in the plan' : `${atMost ? 'up to ' : ''}${time(ns)}, in ${traces} of ${job.traces}`;
  return [jobHeader(after), verdictBox(verdict, [], 0, warnings),
    section('What changed', 'runs of processes; parts are means of all',
      table('Times', [['time'], ['before', 1], ['after', 1], ['change', 1]], times.map(row => [row.name,
        time(row.before_ns), time(row.after_ns), row.after_ns === null ? '' : share(row.after_ns - row.before_ns, row.before_ns)]))),
    plan.length ? section('Plans', 'what the job would gain by a change, and in how many processes; lines are those of each source',
      table('Plans', [['change'], ['before', 1], ['after', 1], ['at']], plan.map(row => [row.strategy,
        gain(row.before_ns, row.before_at_most, row.before_traces, before),
        gain(row.after_ns, row.after_at_most, row.after_traces, after), row.places]))) : null,
    madeBy()];
}

const jobSections = job => [jobHeader(job), verdictBox(job.verdict, job.bounds, job.recorded_ns,
  [job.missing && `no figures of rank${/[,-]/.test(job.missing) ? 's' : ''} ${job.missing}`,
    ...job.problems.map(({text}) => text)].filter(Boolean)), jobPlan(job), jobProcesses(job),
jobGroups('Machines', 'GPU, link, NUMA node', job.kinds), jobGroups('Hosts', 'host', job.hosts),
jobPhases(job.phases), madeBy()];
