/**
 * `npm run bench -- explore`: what someone waits for on the page of `skillgate explore`, over a large catalog in headless
 * Chromium: first paint, the map from its cache, bytes, frames of the map while it is dragged and magnified, the processor time of the page's own code for each
 * frame, and the memory of both sides. Rendering is in software there, so frames are a lower bound.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { columns } from './evaluation/table.ts';
import { here } from './paths.ts';
import { publish } from './results-file.ts';

interface ExploreOptions {
  readonly index: string;
  readonly skills: readonly string[];
  readonly program?: string;
  readonly chromium: string;
  readonly repeat: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const FLAGS = ['--no-sandbox'];
const VIEWPORT = { width: 1440, height: 900 };
/** Frames of one drag, and of one magnification. */
const FRAMES = 120;
/** A map that is computed for the first time takes minutes. */
const PATIENCE_MS = 900_000;

interface Moves {
  readonly fps: number;
  /** Time between two frames, ms: median and 95th percentile. */
  readonly median: number;
  readonly p95: number;
  /** Processor time of the page's JavaScript for each frame, ms. */
  readonly script: number;
}

export async function measureExplore(options: ExploreOptions): Promise<void> {
  const { program = here('../dist/skillgate.cjs'), index, skills, repeat } = options;
  const args = [
    'explore',
    '--no-open',
    '--json',
    '--index',
    index,
    ...skills.flatMap((dir) => ['--skills', dir]),
  ];
  const server = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const browser = await chromium.launch({ executablePath: options.chromium, args: FLAGS });
  try {
    const url = await addressOf(server.stdout);
    const blank = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>empty</title><p>empty</p>');
    }).listen(0, '127.0.0.1');
    await once(blank, 'listening');
    const emptyUrl = `http://127.0.0.1:${(blank.address() as AddressInfo).port}/`;
    // In turn, so that other work on the machine slows both.
    const visits: Visit[] = [];
    const empties: Visit[] = [];
    for (let at = 0; at < repeat; at += 1) {
      empties.push(await visited(browser, emptyUrl, 'p'));
      visits.push(await visited(browser, url, 'input[type=search]'));
    }
    blank.close();
    const page = await browser.newPage({ viewport: VIEWPORT });
    page.setDefaultTimeout(PATIENCE_MS);
    const session = await page.context().newCDPSession(page);
    // Durations are processor time of the page's main thread.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(url);
    await page.locator('.labels span[style*="visible"]').first().waitFor();
    const typed = await typing(page);
    const all = Number((await page.locator('.catalog b').textContent())?.replace(/\D/g, ''));
    const drag = await moved(
      page,
      session,
      pressing((at) => (at % 2 === 0 ? 'ArrowLeft' : 'ArrowRight')),
    );
    const magnify = await moved(
      page,
      session,
      pressing((at) => (at % 40 < 20 ? '+' : '-')),
    );
    const empty = await moved(page, session, CLEARED);
    const maps: Awaited<ReturnType<typeof mapOfTwoVisits>>[] = [];
    for (let at = 0; at < repeat; at += 1) maps.push(await mapOfTwoVisits(browser, url));
    const { mapKb, pageKb } = maps[0]!;
    const browserMb = (await metric(session, 'JSHeapUsedSize')) / 1e6;
    const median = (values: readonly number[]) =>
      values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)]!.toFixed(0);
    await publish(
      {
        name: 'explore',
        title: 'The page of skillgate explore',
        conditions: `${all} skills; headless Chromium with software rendering, ${VIEWPORT.width} × ${VIEWPORT.height} pixels, on ${cpus().length} cores; medians of ${repeat} visits; ${FRAMES} frames of each movement.`,
        figures: [
          columns([
            ['', 'ms'],
            ['first contentful paint', median(visits.map(({ paint }) => paint))],
            ['the same of an empty page, in turn', median(empties.map(({ paint }) => paint))],
            ['until one can type', median(visits.map(({ usable }) => usable))],
            ['map, until its first names', median(maps.map(({ first }) => first))],
            ['map of an earlier visit', median(maps.map(({ again }) => again))],
            ['from a letter to its hits', typed.toFixed(0)],
          ]),
          columns([
            ['compressed', 'KB'],
            ['page with all views', pageKb.toFixed(0)],
            ['answer with the map', mapKb.toFixed(0)],
          ]),
          columns([
            ['map', 'frames/s', 'ms between frames', '95th percentile', 'own JavaScript, ms a frame'],
            ['moved', ...cells(drag)],
            ['magnified', ...cells(magnify)],
            ['an empty canvas', ...cells(empty)],
          ]),
          columns([
            ['memory', 'MB'],
            ['JavaScript heap of the page', browserMb.toFixed(0)],
            ['the program', residentMb(server.pid!)],
          ]),
        ].join('\n'),
      },
      options.write,
    );
  } finally {
    await browser.close();
    server.kill('SIGTERM');
  }
}

const cells = ({ fps, median, p95, script }: Moves) => [
  fps.toFixed(1),
  median.toFixed(1),
  p95.toFixed(1),
  script.toFixed(2),
];

async function addressOf(stdout: Readable): Promise<string> {
  let said = '';
  // A program whose output no one reads any more ends.
  for await (const part of stdout.iterator({ destroyOnReturn: false })) {
    said += String(part);
    const found = /"url": "(\S+)"/.exec(said);
    if (found !== null) return found[1]!;
  }
  throw new Error(`skillgate explore ended: ${said}`);
}

/** ms from the beginning of a visit, in a browser that was never there. */
interface Visit {
  readonly paint: number;
  /** Until the element is there that one came for. */
  readonly usable: number;
}

async function visited(browser: Browser, url: string, wanted: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(wanted).first().waitFor();
  const usable = Number(await page.evaluate('performance.now()'));
  // As text: this program's types know no browser.
  const paint = await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries())
        if (name === 'first-contentful-paint') resolve(startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
  await context.close();
  return { paint: Number(paint), usable };
}

/** The map in a browser that was never there, and again after a reload. KB (1,000 bytes) are as gzip makes them. */
async function mapOfTwoVisits(browser: Browser, url: string) {
  const page = await (await browser.newContext({ viewport: VIEWPORT })).newPage();
  const bytes = { map: 0, page: 0 };
  const bodies: Promise<void>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const isMap = pathname.endsWith('/map');
    if (!isMap && pathname.includes('/api/')) return;
    bodies.push(
      response.body().then((body) => {
        bytes[isMap ? 'map' : 'page'] += gzipSync(body).length;
      }),
    );
  });
  const first = await opened(() => page.goto(url), page);
  await Promise.all(bodies);
  // A reload throws bodies away.
  page.removeAllListeners('response');
  const [mapKb, pageKb] = [bytes.map / 1_000, bytes.page / 1_000];
  const again = await opened(() => page.reload(), page);
  await page.context().close();
  return { first, again, mapKb, pageKb };
}

/** ms from the beginning of a visit to the first names of its map. */
async function opened(visit: () => Promise<unknown>, page: Page): Promise<number> {
  await visit();
  await page.locator('.labels span[style*="visible"]').first().waitFor();
  const begun = Number(await page.evaluate('performance.now()'));
  // Views are loaded once the first one is shown.
  await page.waitForLoadState('networkidle');
  return begun;
}

/** ms from a letter to the hits for it, median over the letters of a request. */
async function typing(page: Page): Promise<number> {
  const box = page.getByRole('searchbox');
  const times: number[] = [];
  const request = 'turn a meeting recording into notes';
  for (let length = 8; length <= request.length; length += 1) {
    const query = request.slice(0, length);
    const begin = performance.now();
    const answered = page.waitForResponse(
      (response) =>
        response.url().endsWith('/api/search') &&
        response.request().postData()?.includes(JSON.stringify(query)) === true,
    );
    await box.fill(query);
    await answered;
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    times.push(performance.now() - begin);
  }
  await box.fill('');
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

/** Presses one key a frame on the map, which draws in the frame after it. */
function pressing(key: (at: number) => string): string {
  const pressed = Array.from({ length: FRAMES }, (_, at) => key(at));
  return `(() => {
    const canvas = document.querySelector('.pad');
    const keys = ${JSON.stringify(pressed)};
    return (at) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key: keys[at], bubbles: true, cancelable: true }));
  })()`;
}

/** Clears another canvas of the map's size: what a frame costs on this machine before any point is drawn. */
const CLEARED = `(() => {
  const plane = document.querySelector('.plane canvas');
  const canvas = document.createElement('canvas');
  canvas.width = plane.width;
  canvas.height = plane.height;
  canvas.className = plane.className;
  plane.replaceWith(canvas);
  const context = canvas.getContext('2d');
  return (at) => {
    context.fillStyle = at % 2 === 0 ? 'red' : 'black';
    context.fillRect(0, 0, canvas.width, canvas.height);
  };
})()`;

/** `step`: source of a function that is called once a frame, as fast as frames come. */
async function moved(page: Page, session: CDPSession, step: string): Promise<Moves> {
  const before = await metric(session, 'ScriptDuration');
  const times = await page.evaluate(`new Promise((resolve) => {
    const act = ${step};
    const times = [];
    const frame = (now) => {
      times.push(now);
      if (times.length > ${FRAMES}) return resolve(times);
      act(times.length - 1);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`);
  const script = (await metric(session, 'ScriptDuration')) - before;
  const stamps = times as number[];
  const gaps = stamps.slice(1).map((time, at) => time - stamps[at]!);
  const sorted = gaps.toSorted((a, b) => a - b);
  const total = stamps.at(-1)! - stamps[0]!;
  return {
    fps: (1_000 * gaps.length) / total,
    median: sorted[Math.floor(sorted.length / 2)]!,
    p95: sorted[Math.floor(0.95 * sorted.length)]!,
    script: (1_000 * script) / gaps.length,
  };
}

/** Seconds or bytes, by the name. */
async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((each) => each.name === name)!.value;
}

/** Linux only; a dash elsewhere. */
function residentMb(pid: number): string {
  try {
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return (Number(kb) / 1_000).toFixed(0);
  } catch {
    return '–';
  }
}
