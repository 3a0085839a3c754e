/** A headless Chromium over the built page. Where there is none, its tests are skipped with one loud line, unless CI demands it. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { source as axeSource } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { examples, root, type Workplace, workplace } from '../acceptance/command.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Set by `.ci/run`: a missing browser then fails instead of skipping. */
const DEMANDED = process.env.SKILLGATE_BROWSER_TESTS === 'required';
/** Folder for the screenshots of the documents: `SKILLGATE_SCREENSHOTS=docs/images npm run test:browser`. */
const { SKILLGATE_SCREENSHOTS: SCREENSHOTS } = process.env;

export const hasBrowser = existsSync(CHROMIUM) || DEMANDED;
if (!hasBrowser)
  process.stderr.write(
    `\n*** ${CHROMIUM} is missing: the tests of the page in a browser are SKIPPED. ***\n\n`,
  );

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

interface ServedPage {
  readonly url: string;
  end(): Promise<unknown>;
}

/** `skillgate explore` over the catalog. */
export const serveExplore = (place: Workplace, ...args: string[]): Promise<ServedPage> =>
  serveSkills(place, catalog, SKILLGATE_CATALOG_INDEX ?? join(place.folder, 'index'), ...args);

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
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text: string) => {
      said += text;
      const found = /"url": "(\S+)"/.exec(said);
      if (found !== null) resolve(found[1]!);
    });
    finished.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
  });
  return {
    url,
    end() {
      child.kill('SIGTERM');
      return finished;
    },
  };
}

/** For a group of tests: a workplace, the page that `serve` starts in it, and a browser. They end with the group. */
export function explored(serve: (place: Workplace) => Promise<ServedPage> = serveExplore) {
  const place = workplace();
  let served: ServedPage;
  let browser: Browser;
  beforeAll(async () => {
    [served, browser] = await Promise.all([
      serve(place),
      chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
    ]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.end();
  });
  return {
    url: () => served.url,
    context: () => browser.newContext(),
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

/** A tab; `problems` collects what the browser objects to, such as a violation of the content security policy. */
async function openPage(browser: Browser, options: TabOptions = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(60_000);
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
