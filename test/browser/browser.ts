/** A headless Chromium over the built page. Where there is none, its tests are skipped. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { source as axeSource } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { withTimeout } from '../../src/base/timing.ts';
import { examples, prepareIndex, root, type Workplace, workplace } from '../acceptance/command.ts';
import { needs } from '../needs.ts';

export const CHROMIUM = '/usr/bin/chromium';
/** Folder for the screenshots of the documents: `SKILLGATE_SCREENSHOTS=docs/images npm run test:browser`. */
const { SKILLGATE_SCREENSHOTS: SCREENSHOTS } = process.env;

/** Options of tests in a browser. */
export const inBrowser = needs('chromium', existsSync(CHROMIUM) ? null : `${CHROMIUM} is missing`);

/** The shared catalog of real skills where it is present, else the examples (`shared-catalog.ts`). */
const { SKILLGATE_CATALOG = examples, SKILLGATE_CATALOG_INDEX } = process.env;
const catalog = SKILLGATE_CATALOG;

/** Software rendering, so that WebGL works without a graphics card. */
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** Longest wait for a program to say or do something, ms: with what it said until then, it is a message that helps. */
const PATIENCE_MS = 100_000;

interface ServedPage {
  readonly url: string;
  end(): Promise<unknown>;
}

/** `skillgate explore` over the catalog, which is indexed already. */
export async function serveExplore(place: Workplace, ...args: string[]): Promise<ServedPage> {
  const index = SKILLGATE_CATALOG_INDEX ?? join(place.folder, 'index');
  await prepareIndex(catalog, index);
  return serveSkills(place, catalog, index, ...args);
}

/** `skillgate explore` over a folder of skills. */
export async function serveSkills(
  place: Workplace,
  skills: string,
  index = join(place.folder, 'index'),
  ...args: string[]
): Promise<ServedPage> {
  const { child, finished } = place.start(
    ...['explore', '--no-open', '--json', '--skills', skills, '--index', index, ...args],
  );
  let said = '';
  const url = await inTime(
    new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (text: string) => {
        said += text;
        const [, address] = /"url": "(\S+)"/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      });
      finished.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
    }),
    () => `skillgate explore printed no address: ${said}`,
  );
  return {
    url,
    end() {
      child.kill('SIGTERM');
      return inTime(finished, () => `skillgate explore goes on after SIGTERM: ${said}`);
    },
  };
}

/** A page that a test starts itself ends with the test, also where that fails. */
export function untilFinished(served: ServedPage): ServedPage {
  onTestFinished(() => served.end().then(() => {}));
  return served;
}

/** Rejects with the message where the promise takes too long. */
const inTime = <Value>(work: Promise<Value>, message: () => string): Promise<Value> =>
  withTimeout(work, PATIENCE_MS, () => {
    throw new Error(message());
  });

/** For a group of tests: a workplace, the page that `serve` starts in it, and a browser. They end with the group. */
export function explored(serve: (place: Workplace) => Promise<ServedPage> = serveExplore) {
  const place = workplace();
  let served: ServedPage;
  let browser: Browser;
  beforeAll(async () => {
    await Promise.all([
      serve(place).then((page) => {
        served = page;
      }),
      chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: PATIENCE_MS }).then((started) => {
        browser = started;
      }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.end();
  });
  return {
    url: () => served.url,
    async context() {
      const context = await browser.newContext();
      context.setDefaultTimeout(PATIENCE_MS);
      return context;
    },
    /** A tab at the page, for a group of tests. */
    async open(options?: TabOptions) {
      const tab = await openPage(browser, options);
      await tab.page.goto(served.url);
      return tab;
    },
    /** An empty tab, until the end of the test. */
    async tab(options?: TabOptions) {
      const tab = await openPage(browser, options);
      onTestFinished(() => tab.page.close());
      return tab;
    },
  };
}

/** A tab that a group of tests shares begins anew after a failure: what the test left open, wrote or held up is gone. */
export function renewAfterFailure(tab: () => Tab, url: () => string, begin = async () => {}): void {
  beforeEach(({ onTestFailed }) =>
    onTestFailed(async () => {
      const { page, problems } = tab();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.goto(url());
      await page.evaluate('localStorage.clear()');
      await page.reload();
      await begin();
      problems.length = 0;
    }),
  );
}

/** Writes a query and waits for its hits: those of another one may still be listed. */
export async function search(page: Page, query: string): Promise<void> {
  await page.getByRole('searchbox').first().fill(query);
  await page.locator('[aria-busy="false"] .hit').first().waitFor();
}

/** Every view works on a desk and on a phone. */
export const SIZES = [
  ['1440 × 900', { viewport: { width: 1440, height: 900 } }],
  ['390 × 844', { viewport: { width: 390, height: 844 }, hasTouch: true }],
] as const;

/** The page is not wider than its screen. */
export async function expectToFit(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}

/** Goes to an address of the page, as `#/skill/csv-cleaning`. */
export const goTo = (page: Page, address: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(address)}`);

type TabOptions = Parameters<Browser['newPage']>[0];

interface Tab {
  readonly page: Page;
  /** What the browser objects to, such as a violation of the content security policy. */
  readonly problems: string[];
}

async function openPage(browser: Browser, options: TabOptions = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests };
}

/** No violation of WCAG 2.2 A and AA, as far as axe can tell. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated from outside of the page, whose policy would refuse the script.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })').then(
    (result) =>
      result as {
        violations: { id: string; help: string; nodes: { target: string[]; failureSummary?: string }[] }[];
      },
  );
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
  );
  expect(found).toEqual([]);
}

/** Writes `<name>.png` where screenshots are wanted. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: resolve(root, SCREENSHOTS, `${name}.png`) });
}
