// SPDX-License-Identifier: MIT
// node measure.mjs BROWSER PAGE: how long the page takes to open and to draw.
// Run it in the folder that browser.sh made, which has playwright-core.
import {resolve} from 'node:path';
import {launch} from './launch.mjs';

const [path, file] = process.argv.slice(2);
const browser = await launch(path);
const page = await browser.newPage({viewport: {width: 1280, height: 900}});
const began = Date.now();
await page.goto('file://' + resolve(file));
await page.waitForSelector('main:not([aria-busy])');
await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
console.log(`open: ${Date.now() - began} ms`);
console.log(await page.evaluate(async () => {
  const timeline = xferspy.timelines[0], frames = 60;
  const median = times => `${times.sort((a, b) => a - b)[times.length >> 1].toFixed(1)} ms`;
  const draw = step => Array.from({length: frames}, () => {
    step();
    timeline.draw();
    return timeline.drawn;
  });
  const zoom = median(draw(() => timeline.zoom(0.85)));
  timeline.fit();
  timeline.zoom(0.5);
  const pan = median(draw(() => timeline.pan(0.003)));
  const began = performance.now();
  for (let i = 0; i < frames; i++) {
    timeline.pan(-0.003);
    await new Promise(requestAnimationFrame);
  }
  const rate = frames * 1000 / (performance.now() - began);
  const slices = timeline.lanes.reduce((sum, {lane}) => sum + lane.count, 0);
  const heap = performance.memory; // of Chromium alone
  return `slices: ${slices}; median frame: zoom ${zoom}, pan ${pan}; ${rate.toFixed(0)} frames a second` +
    (heap ? `; heap: ${Math.round(heap.usedJSHeapSize / 1e6)} MB` : '');
}));
await browser.close();
