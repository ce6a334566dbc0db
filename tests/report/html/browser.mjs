// SPDX-License-Identifier: MIT
// Opens the pages that browser.sh made and uses them as a person would.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {launch} from './launch.mjs';

const browser = await launch(process.argv[2]);

// Opens a page from disk; anything on its console, or asked of a network, fails.
async function open(file, options) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  page.problems = [];
  page.on('console', message => page.problems.push(message.text()));
  page.on('pageerror', error => page.problems.push(error.message));
  page.on('request', request => /^(file|blob):/.test(request.url()) || page.problems.push(request.url()));
  await page.goto(`file://${process.cwd()}/${file}`);
  await page.waitForSelector('main:not([aria-busy])');
  return page;
}

const words = text => text.replace(/\s+/g, ' ').trim();
const report = JSON.parse(readFileSync('stencil.json', 'utf8'));

const page = await open('stencil.html', {colorScheme: 'light'});
assert.equal(words(await page.innerText('#verdict')),
  words(`In short: ${report.opening} ${report.verdict.text}`));
assert.equal(await page.locator('ol.plan > li').count(), report.plan.length);
const plan = words(await page.innerText('ol.plan'));
for (const step of report.plan)
  assert(plan.includes(words(step.text)), step.text);
assert.deepEqual(await page.locator('figcaption').allInnerTexts(), ['What each would save',
  'Time by number of streams', 'Bandwidth against size', 'Waits by place']);
await page.screenshot({path: 'light.png', fullPage: true});

// a saving that is not known does not squeeze those that are
const unknown = await open('unknown.html');
const savings = unknown.locator('figure', {hasText: 'What each would save'});
const widths = await savings.locator('rect').evaluateAll(bars => bars.map(bar => bar.width.baseVal.value));
// the ranges of the shipped profile, of 14 machines, take the rest of 250
assert(Math.max(...widths) > 190, `bars of ${widths}`);
assert((await savings.locator('svg > text').allTextContents()).some(text => text.startsWith('~')));
assert((await savings.locator('title').allTextContents()).some(text => text.match(/from .* slower to .* faster/)));

// rounds are told with the host's time until the next one, and with what the run does not count, as in the text
const between = await open('between.html');
for (const name of ['pinned', 'double-buffer']) {
  const [, round, ends, times] = readFileSync('between.txt', 'utf8')
    .match(new RegExp(`^ +${name}\\*? +([\\d.]+ ms) +(\\S+ ms) +([\\d.]+x) `, 'm'));
  const row = await between.locator('tr', {hasText: name}).filter({hasText: times}).innerText();
  for (const figure of [round, ends])
    assert(row.includes(figure), `${row} without ${figure}`);
}
assert((await between.locator('body').innerText()).includes('until the next round'));

// cards, charts and titles have the figures of the text report
const capture = await open('capture.html'), captured = words(readFileSync('capture.txt', 'utf8'));
const savingBars = capture.locator('figure', {hasText: 'What each would save'});
const texts = await savingBars.locator('svg > text').allTextContents();
for (const [i, [name, row]] of [['pinned *', 'pinned\\*'], ['streams n=8 depth *', 'streams\\* n=8'],
  ['double-buffer *', 'double-buffer\\*']].entries()) {
  const [, saves] = captured.match(new RegExp(` ${row} [\\d.]+ ms [\\d.-]+ ms [\\d.]+x ([\\d.]+ ms)`));
  assert.deepEqual(texts.slice(2 * i, 2 * i + 2), [name, saves]);
}
const [, rounds, asItWas, next] = captured.match(/ 1 (\d+) ([\d.]+ ms) .*with the host's ([\d.]+ ms) until/);
assert(words(await capture.locator('figure', {hasText: 'Time by number'}).innerText())
  .includes(`which took ${asItWas}, with the host's ${next} until the next round`));
assert.equal(await capture.evaluate(() => xferspy.timelines[1].rows[0].title),
  `As it was: ${asItWas}, the median of ${rounds} rounds, with the host's ${next} until the next round`);
const ofPhases = words(await capture.locator('section', {hasText: /^Phases/}).innerText());
const [, share, ofPhase] = captured.match(/ Phases .* 1 \d+ [\d.]+ ms ([\d.]+ %) .*?(sm\d+_\S* and others, .*? without a first round of [\d.]+ m?s)/);
assert.match(ofPhases, new RegExp(` 1 ${rounds} ${asItWas} .* ${share} 32 MiB`));
assert(ofPhases.includes(ofPhase.split('... ')[1]), `${ofPhases} without ${ofPhase}`);
const [outside] = captured.match(/outside the steady part, pinning takes [\d.]+ ms \([\d.]+ % of the run\)/);
assert(words(await capture.locator('section', {hasText: /^Where the time went/}).innerText())
  .includes(outside));
assert.deepEqual(await capture.evaluate(() => [3000, 6001].map(count => bandwidthChart({views: [{lanes: [{
  name: 'copies in', count, start: Array(count).fill(0), end: Array(count).fill(9),
  bytes: Array(count).fill(2048)}]}]}).textContent.includes('each 3th'))), [false, true]);
// what is no step is told as in the text
const fitted = words(readFileSync('fitted.txt', 'utf8'));
const ofFitted = words(await (await open('fitted.html')).locator('section', {hasText: /^Strategies/}).innerText());
const [beyond] = fitted.match(/no step: streams of phase 3 saves [\d.]+ ms more \([^)]*\)/);
assert(ofFitted.includes(beyond), ofFitted);
// each row of the text's tables of times and waits is on the page, and what it says of tracing
for (const name of ['tracing', 'kinds', 'capture']) {
  const text = readFileSync(`${name}.txt`, 'utf8'), other = await open(`${name}.html`);
  for (const title of ['Where the time went', 'What the host waited for']) {
    const [part] = text.match(new RegExp(`^${title}[^]*?\n\n`, 'm'));
    const ofPage = words(await other.locator('section', {hasText: new RegExp(`^${title}`)}).innerText());
    const said = [...part.matchAll(/[\d.]+ [mun]?s +[\d.]+ % +[\d.]+ %|without .*tracing|of [\d.]+ [mun]?s with tracing$/gm)];
    assert(said.length > 2, part);
    for (const [row] of said)
      assert(ofPage.includes(words(row)), `${ofPage} without ${row}`);
  }
  const ofRows = words(await other.locator('section', {hasText: /^Strategies/}).innerText());
  const rows = [...text.matchAll(/ [mu]s +[\d.]+x +(-?[\d.]+ [mu]s)/g)];
  assert(rows.length, text);
  for (const [, saved] of rows)
    assert(ofRows.includes(`x ${saved} `), `${ofRows} without ${saved}`);
  assert.match(ofRows, /speedup saves once run/);
}
// without calls there are no rounds, and where the verdict is not known, no bars of it
const noCalls = await open('no-calls.html'), ofNoCalls = words(await noCalls.locator('body').innerText());
assert.match(ofNoCalls, /copies in [\d.]+ ms .* host blocked - .* Phases .* none: the trace has no calls of CUDA/);
assert.doesNotMatch(ofNoCalls, /phase 1|Strategies/);
assert.equal(await noCalls.locator('.parts').count(), 0);
assert.equal(await page.locator('.parts').count(), 1);
for (const card of (await capture.locator('ol.plan > li').allInnerTexts()).slice(0, 2)) {
  const [, how, figure] = words(card).match(/^(saves|may save) ([\d.]+ ms)/);
  assert(captured.includes(`${how} ${figure} (`), card);
}
// its line is that of the text
const [saving] = captured.match(/(?:saves|may save) [\d.]+ m?s \([^)]*\): .*? then [\d.]+ m?s; effort: \w+ \w+/);
assert(words(await capture.locator('ol.plan').innerText()).includes(saving), saving);

// a saving has one interval, and each line and kernel the look of its legend
const [first] = report.plan;
assert.equal(first.step, 1);
const card = await page.locator('ol.plan > li').first().innerText();
const {low, high} = await page.evaluate(({strategy, n}) => {
  const [{report: {phases: [phase]}}] = xferspy.traces;
  const {shown} = phase.estimates.find(row => row.shown.listed && row.strategy === strategy && row.n_streams === n);
  return {low: time(shown.saves_low_ns), high: time(shown.saves_high_ns)};
}, {strategy: first.strategy, n: first.n_streams});
assert(words(card).includes(`${parseFloat(low)}-${high}`), `${card} without ${low} to ${high}`);
assert.equal(await page.locator('figure', {hasText: 'What each would save'}).locator('rect title').first().textContent(),
  `${first.strategy}: ${parseFloat(low)}-${high}`);
const looks = await page.locator('.legend svg path').evaluateAll(lines =>
  lines.map(line => line.getAttribute('stroke') + line.getAttribute('stroke-dasharray')));
assert(looks.length > 2 && new Set(looks).size === looks.length, String(looks));
assert.deepEqual(await page.evaluate(() => {
  const {lanes, colors} = xferspy.timelines[0], {lane} = lanes.find(({lane}) => lane.kind === 'kernel');
  return [xferspy.timelines[0].colorOf(lane, 0), colors.kernels.includes(colors.range)];
}), [await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--kernel0').trim()), false]);

// all ops are in the timeline
const counts = await page.evaluate(() => xferspy.timelines[0].lanes.map(({lane}) => [lane.kind, lane.count]));
const sum = (...kinds) => counts.reduce((n, [kind, count]) => n + (kinds.includes(kind) ? count : 0), 0);
assert.equal(sum('copy', 'kernel'), report.coverage.gpu_ops_seen);
assert.equal(sum('call', 'wait', 'allocation'), report.coverage.api_calls_seen);

// from the begin of the run to its end, and so are its sums
const {wall_ns: wall} = report.trace;
assert.deepEqual(await page.evaluate(() => [xferspy.timelines[0].least, xferspy.timelines[0].most]), [0, wall]);
await page.getByRole('button', {name: 'Add up what is shown'}).first().click();
assert.deepEqual(await page.evaluate(() => xferspy.timelines[0].selection), [0, wall]);

// zoom and pan by wheel, keys and buttons
const span = () => page.evaluate(() => xferspy.timelines[0].to - xferspy.timelines[0].from);
const from = () => page.evaluate(() => xferspy.timelines[0].from);
const canvas = page.locator('canvas').first();
const all = await span();
await canvas.hover({position: {x: 700, y: 60}});
await page.mouse.wheel(0, -400);
assert.equal(await span(), all, 'the page scrolls unless the timeline has the focus');
await canvas.focus();
await page.evaluate(() => scrollTo(0, 0));
await canvas.hover({position: {x: 700, y: 60}});
await page.mouse.wheel(0, -400);
await page.waitForFunction(all => xferspy.timelines[0].to - xferspy.timelines[0].from < all * 0.8, all);
const before = await from();
await page.keyboard.press('ArrowRight');
assert(await from() > before);
await page.keyboard.press('+');
const zoomed = await span();
await page.keyboard.press('-');
assert(await span() > zoomed);
await page.keyboard.press('0');
assert.equal(await span(), all);

// places follow at once, not with the next frame, or a click may miss
assert.deepEqual(await page.evaluate(() => {
  const t = xferspy.timelines[0];
  t.zoom(0.5);
  const x = t.x(t.to);
  t.fit();
  return [x, t.x(t.to)];
}), await page.evaluate(() => Array(2).fill(xferspy.timelines[0].width)));

// hover and keys tell size, rate and source line
const copy = await page.evaluate(() => {
  const t = xferspy.timelines[0], row = t.lanes.find(({lane}) => lane.name === 'copies in');
  return {x: t.x((row.lane.start[0] + row.lane.end[0]) / 2), y: row.y + 36};
});
await canvas.hover({position: copy});
const tip = await page.locator('.tip').first().innerText();
assert.match(tip, /512 MiB at \d+\.\d GB\/s/);
assert.match(tip, /stencil\.cu:64/);
await canvas.press('Escape');
const sums = page.locator('.sums').first();
assert.equal(await sums.innerText(), '');
await canvas.click({position: copy});
assert.match(await sums.innerText(), /copy in, pageable\s+1/);
await canvas.press('.');
assert.match(await page.locator('.said').first().innerText(), /copies in: copy in, pageable/);

// search
await page.fill('input[type=search]', 'stencil_kernel');
assert.match(await page.locator('.tools output').first().innerText(), /11 matches/);
await page.press('input[type=search]', 'Enter');
assert.match(await page.locator('.said').first().innerText(), /stencil_kernel/);

// a round as it would be, by strategy
const lanes = () => page.evaluate(() => xferspy.timelines[1].rows.map(row => row.title || row.lane.name));
// a star marks the best case
const pressed = async () => (await page.locator('button[aria-pressed=true]').innerText()).replace(/ \*$/, '');
assert.equal(await pressed(), report.plan[0].strategy);
assert.match((await lanes()).join(), /As it was: 78.6 ms.*With pinned: 20.0 ms/);
await page.getByRole('button', {name: /^streams/}).click();
assert.match((await lanes()).join(), /With streams n=\d+ \w+: 1\d.\d ms.*copies in,copies out,.*kernels/);
await page.getByRole('button', {name: 'See it'}).last().click();
// a step of several chunks is named with their number
assert.equal((await pressed()).split(' ')[0], report.plan.at(-1).strategy);
assert.deepEqual(page.problems, []);

// docs/page.png
await page.fill('input[type=search] >> nth=0', '');
await page.evaluate(() => {
  timelines[0].fit();
  timelines[0].select(null);
  timelines[0].said.textContent = '';
  document.activeElement.blur();
  scrollTo(0, 0);
});
const box = async title => page.locator('section', {has: page.getByRole('heading', {name: title})}).boundingBox();
const [top, bottom] = [await box('Timeline'), await box('As it would be')];
await page.screenshot({path: 'page.png', fullPage: true,
  clip: {x: 0, y: top.y - 8, width: 1280, height: bottom.y + bottom.height - top.y + 16}});

// dark, and names that are no markup; the second trace is one click away
const dark = await open('hostile.html', {colorScheme: 'dark'});
assert.equal(await dark.evaluate(() => window.hacked), undefined);
assert.equal(await dark.locator('img').count(), 0);
assert.match(await dark.innerText('h1'), /<img src=x onerror=hacked=1>\ufffd/);
assert(!/[\u202e]/.test(await dark.innerText('body')));
await dark.selectOption('select', {index: 1});
assert.match(await dark.innerText('h1'), /^python3/);
await dark.screenshot({path: 'dark.png', fullPage: true});
assert.deepEqual(dark.problems, []);

// NVTX ranges, with hostile names, too
const ranges = await open('ranges.html', {colorScheme: 'light'});
const named = await ranges.evaluate(() => {
  const [timeline] = xferspy.timelines;
  const lanes = timeline.lanes.filter(({lane}) => lane.kind === 'range').map(({lane}) => lane);
  return lanes.map(lane => [lane.name, lane.count, timeline.describe(lane, 0).name]);
});
assert.deepEqual(named.map(([name, count]) => [name, count]), [['process: NVTX', 1],
  ['thread 100: NVTX', 1], ['thread 100: NVTX', 15], ['thread 100: NVTX', 25], ['thread 100: NVTX', 25]]);
assert.match(named[4][2], /<script>hacked=1.*halo exchange$/);
assert.match(words(await ranges.locator('section', {hasText: /^NVTX ranges/}).innerText()),
  /12 [^ ]*<script>hacked=1.*forward 540 us 6\.48 ms 5\.52 ms 4\.80 ms - 5\.76 ms 48 MiB in/);
await ranges.evaluate(() => xferspy.timelines[0].select([0, 1e12]));
assert.match(await ranges.locator('.sums').first().innerText(), /solver: [^]*halo exchange/);
assert.equal(await ranges.evaluate(() => window.hacked), undefined);
assert.equal(await ranges.locator('img').count(), 0);
await ranges.screenshot({path: 'ranges.png', fullPage: true});
assert.deepEqual(ranges.problems, []);

// two runs: the text report's words, both timelines, and a round as predicted
const difference = JSON.parse(readFileSync('diff.json', 'utf8'));
const both = await open('diff.html', {colorScheme: 'light'});
const said = words(readFileSync('diff.txt', 'utf8'));
assert(said.endsWith(words(await both.innerText('#verdict'))));
const {measured_ns: measured} = difference.phases[0].prediction;
const told = await both.locator('td div', {hasText: /^predicted for/}).first().innerText();
assert(measured > 0 && said.includes(words(told)), told);
const groups = i => both.evaluate(i => xferspy.timelines[i].rows.flatMap(row => row.title || []), i);
assert.match((await groups(0)).join(), /^Before: [\d.]+ s,After: [\d.]+ s$/);
assert.match((await groups(1)).join(), /^Before: 78.6 ms,Predicted with streams n=\d.*,After: 1\d.\d ms$/);
assert.equal(await both.evaluate(() => xferspy.timelines[0].lanes.reduce((n, {lane}) => n + lane.count, 0)),
  await both.evaluate(() => xferspy.traces.reduce((n, {report: {coverage: c}}) =>
    n + c.api_calls_seen + c.gpu_ops_seen, 0)));
await both.evaluate(() => xferspy.timelines[0].select([0, 1e12]));
assert.match(await both.locator('.sums').first().innerText(), /before: stencil_kernel[^]*after: /);
await both.fill('input[type=search] >> nth=0', 'stencil_kernel');
assert.match(await both.locator('.tools output').first().innerText(), /\d{3} matches/);
await both.screenshot({path: 'diff.png', fullPage: true});
assert.deepEqual(both.problems, []);
const traced = await open('diff-traced.html', {colorScheme: 'light'});
assert.match(await traced.locator('td div', {hasText: /^predicted for/}).first().innerText(),
  /measured, without the cost of tracing: 7\d\d \D+s, /);
const mixed = await open('diff-hostile.html', {colorScheme: 'dark'});
assert.equal(await mixed.evaluate(() => window.hacked), undefined);
assert.equal(await mixed.locator('img').count(), 0);
assert.deepEqual(mixed.problems, []);

// several runs of one program
const several = await open('runs.html', {colorScheme: 'light'});
const {runs} = JSON.parse(readFileSync('runs.json', 'utf8'));
const section = words(await several.locator('section', {hasText: /^Runs/}).innerText());
assert.match(section, /^Runs ?3 of one program; the report is of the median one run81.txt .* run 8[\d.]+ ms /);
assert.equal(runs.paths[runs.reported], 'run81.txt');
assert.deepEqual(several.problems, []);
const spread = await open('spread.html', {colorScheme: 'light'});
assert(words(readFileSync('spread.txt', 'utf8')).includes(words(await spread.innerText('#verdict'))));
assert.match(await spread.innerText('#verdict'), /within the spread[^]*may be kept or not/);
assert.match(words(await spread.innerText('header')), /before 3 runs, phases of the median one, run81.txt/);
assert.match(words(await spread.locator('section', {hasText: /^What changed/}).innerText()),
  / run 8[^]*within the spread/);
assert.deepEqual(spread.problems, []);

// a job: the verdict, each step, the slowest process, and no name is markup
const {job} = JSON.parse(readFileSync('job.json', 'utf8'));
const ofJob = await open('job.html', {colorScheme: 'light'});
const visible = text => words(text).replace(/\u202e/g, '\ufffd');
assert.equal(words(await ofJob.innerText('#verdict')), visible(job.verdict));
assert(job.plan.length > 0);
assert.equal(await ofJob.locator('ol.plan > li').count(), job.plan.length);
const change = words(await ofJob.innerText('ol.plan'));
for (const [i, {text, strategy, places, question}] of job.plan.entries())
  assert(change.includes(visible(text)) && change.includes(
    `${i + 1}${question ? '?' : '.'} ${strategy} at ${visible(places)}`), change);
assert.match(await ofJob.locator('p.warn').allInnerTexts().then(String), /no figures of rank 4/);
const processes = ofJob.locator('section', {hasText: /^Processes/});
assert.equal(await processes.locator('tbody tr').count(), job.traces);
assert.match(words(await processes.locator('tbody tr').first().innerText()), /^rank2.txt .*more than the mean/);
assert.equal(await processes.locator('circle').count(), job.traces);
const bars = await processes.locator('svg rect').evaluateAll(all => all.map(bar => bar.height.baseVal.value));
assert.equal(bars.length, job.histogram.filter(bar => bar.traces).length);
assert(Math.min(...bars) > 10, `bars of ${bars}`);
assert.equal(await ofJob.evaluate(() => window.hacked), undefined);
assert.equal(await ofJob.locator('img').count(), 0);
await ofJob.screenshot({path: 'job.png', fullPage: true});
assert.deepEqual(ofJob.problems, []);

// two jobs: what is in the JSON, as text
const {job_diff: jobs} = JSON.parse(readFileSync('jobs.json', 'utf8'));
const ofJobs = await open('jobs.html', {colorScheme: 'light'});
assert.equal(words(await ofJobs.innerText('#verdict')), visible(jobs.verdict));
assert.equal(await ofJobs.locator('p.warn').count(), jobs.warnings.length);
const changed = ofJobs.locator('section', {hasText: /^What changed/});
assert.equal(await changed.locator('tbody tr').count(), jobs.times.length);
assert.match(words(await changed.locator('tbody tr').first().innerText()), /^slowest process .* -\d/);
assert.match(words(await ofJobs.locator('section', {hasText: /^Plans/}).innerText()), /in 4 of 4 .*in 3 of 3/);
assert.equal(await ofJobs.evaluate(() => window.hacked), undefined);
assert.deepEqual(ofJobs.problems, []);

// keyboard and screen reader: each control has a role and a name, and Tab comes to all
const controls = 'button, input, select, summary, canvas, [role=region]';
const read = await open('stencil.html');
await read.evaluate(() => document.querySelectorAll('details').forEach(part => part.open = true));
const tree = await read.locator('main').ariaSnapshot();
assert(!/- (button|searchbox|combobox|application|img|region|figure)( \[|:|$)/m.test(tree), tree);
for (const part of ['heading "What to change in this order', 'application "Timeline of the run.',
  'img "What each would save"', `pinned: ${parseFloat(low)}-${high}; streams n=32`, '; replay breadth, n = 64: ',
  'columnheader "90 % range"', 'cell "cudaMemcpy at stencil.cu:64'])
  assert(tree.includes(part), part);
const reached = new Set([-1]), controlled = await read.locator(controls).count();
for (let i = 0; i < controlled + 9 && reached.size <= controlled; i++) {
  await read.keyboard.press('Tab');
  reached.add(await read.evaluate(all => [...document.querySelectorAll(all)].indexOf(document.activeElement), controls));
}
assert.equal(reached.size, controlled + 1);
await read.getByRole('button', {name: 'Add up what is shown'}).first().press('Enter');
assert.match(words(await read.locator('.sums').first().innerText()),
  /copy in, pageable 11 556 ms 29\.6 % 5\.50 GiB .*stencil_kernel 11 6\.69 ms /);
assert.deepEqual(read.problems, []);

// an interval of what a traced round would save contains it
const traced1 = await open('traced.html');
assert(await traced1.evaluate(() => xferspy.traces[0].report.trace.tracer_ns > 0));
assert.match(await traced1.innerText('header'), /pid \d+ rank 3 of 8 on node7/);
for (const [bar, line] of await traced1.locator('figure', {hasText: 'What each would save'}).evaluate(figure =>
  [...figure.querySelectorAll('rect')].map(bar => [bar.x.baseVal.value +
    (bar.getAttribute('fill') === 'var(--wait)' ? 0 : bar.width.baseVal.value), bar.nextSibling.getAttribute('d')]))) {
  const [, low, , high] = line.match(/^M([\d.]+) ([\d.]+)H([\d.]+)/);
  assert(bar > low - 1 && bar < +high + 1, `${bar} is not in ${line}`);
}

// paper is light; all lanes are on it and nothing is cut off. WebDriver BiDi, for
// Firefox, emulates neither paper nor fingers.
const chromium = browser.browserType().name() === 'chromium';
for (const name of chromium ? ['diff.html', 'ranges.html', 'unknown.html'] : []) {
  const paper = await open(name, {colorScheme: 'dark', viewport: {width: 718, height: 400}});
  await paper.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await paper.emulateMedia({media: 'print'});
  assert.deepEqual(await paper.evaluate(() => [...document.querySelectorAll('body *')].filter(part =>
    part.checkVisibility() && (part.getBoundingClientRect().right > innerWidth + 1 ||
      !['visible', 'clip'].includes(getComputedStyle(part).overflowX) && !part.closest('.parts') &&
      part.scrollWidth > part.clientWidth + 1)).map(part => part.outerHTML.slice(0, 200))), []);
  assert.equal(await paper.evaluate(() => theme.theme), 'light');
  for (const {height, drawn, box} of await paper.evaluate(() => xferspy.timelines.map(({height, canvas, scale}) =>
    ({height, drawn: canvas.height / scale, box: canvas.width / canvas.height * canvas.clientHeight / canvas.clientWidth}))))
    assert(drawn === height && Math.abs(box - 1) < 0.01, `${height} of lanes, ${drawn} drawn, stretched by ${box}`);
  assert.equal(await paper.locator('button:visible').count(), 0);
  await paper.emulateMedia({media: 'screen'});
  await paper.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await paper.evaluate(() => theme.theme + theme.paper), 'darkundefined');
  assert.deepEqual(paper.problems, []);
}

// a phone is as wide as a page, and has the names of its lanes
for (const name of ['diff.html', 'stencil.html']) {
  const narrow = await open(name, {viewport: {width: 390, height: 800}});
  const {clientWidth, scrollWidth} = await narrow.evaluate(() =>
    (({clientWidth, scrollWidth}) => ({clientWidth, scrollWidth}))(document.documentElement));
  assert.equal(scrollWidth, clientWidth, 'wider than a phone');
  assert.deepEqual(await narrow.evaluate(() => xferspy.timelines.flatMap(({lanes, side, context}) =>
    lanes.filter(({lane}) => context.measureText(lane.name).width > side - 14).map(({lane}) => lane.name))), []);
}

// fingers: one pans, two zoom, one on the axis selects, a touch tells
if (chromium) {
  const phone = await open('stencil.html', {hasTouch: true, viewport: {width: 390, height: 800}});
  assert(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than a phone');
  await phone.locator('canvas').first().scrollIntoViewIfNeeded();
  const {x, y} = await phone.locator('canvas').first().boundingBox();
  const touches = await phone.context().newCDPSession(phone);
  const move = async (...steps) => {
    for (const [i, points] of [...steps, []].entries())
      await touches.send('Input.dispatchTouchEvent', {type: i === 0 ? 'touchStart' : points.length ? 'touchMove' : 'touchEnd',
        touchPoints: points.map(([dx, dy], id) => ({x: x + dx, y: y + dy, id}))});
  };
  const range = () => phone.evaluate(() => [xferspy.timelines[0].from, xferspy.timelines[0].to]);
  const whole = await range();
  await move([[200, 60], [240, 60]], [[170, 60], [270, 60]], [[140, 60], [340, 60]]);
  const near = await range();
  assert(near[1] - near[0] < (whole[1] - whole[0]) / 3, `two fingers: ${whole} to ${near}`);
  await move([[300, 60]], [[260, 60]], [[200, 60]]);
  assert((await range())[0] > near[0], 'one finger');
  await move([[150, 10]], [[200, 10]], [[330, 10]]);
  assert.match(await phone.locator('.sums').first().innerText(), /In the selected/);
  const at = await phone.evaluate(() => {
    const [t] = xferspy.timelines;
    t.fit();
    t.draw();
    const row = t.lanes.find(({lane}) => lane.name === 'copies in');
    return [t.x((row.lane.start[0] + row.lane.end[0]) / 2), row.y + 36];
  });
  await move([at]);
  assert.match(await phone.locator('.said').first().innerText(), /copies in: copy in, pageable/);
  assert.deepEqual(phone.problems, []);
}

await browser.close();
