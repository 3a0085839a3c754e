/** Promise: Why, Health and Use answer what their names ask, by keyboard and for screen readers too. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  expectToFit,
  explored,
  goTo,
  hasBrowser,
  SIZES,
  screenshot,
  serveExplore,
} from './browser.ts';

const DAYS = 30;
const QUERIES = [
  'our mails end up in spam',
  'clean a messy csv',
  'write release notes',
  'plan the office party',
];

/** A month of calls, as the audit log has them; the last query is weak. */
const auditLog = () =>
  Array.from({ length: DAYS * QUERIES.length }, (_, at) => {
    const query = QUERIES[at % QUERIES.length]!;
    const weak = at % QUERIES.length === QUERIES.length - 1;
    const time = new Date(Date.UTC(2026, 9, 1 + Math.floor(at / QUERIES.length), 9, at % 60)).toISOString();
    const call = { level: 'info', time, event: 'call', who: 'local', outcome: 'ok', ms: 2 };
    const hits = weak ? [] : ['csv-cleaning', 'email-deliverability'];
    const search = { ...call, call: 'search', arguments: { query }, hits, fit: weak ? 0.2 : 0.9, weak };
    const load = { ...call, call: 'load', arguments: {}, skill: 'email-deliverability' };
    return [search, ...(weak ? [] : [load])].map((line) => `${JSON.stringify(line)}\n`).join('');
  }).join('');

describe.skipIf(!hasBrowser)('the other views', () => {
  const shown = explored((place) =>
    serveExplore(place, '--set', `telemetry.audit=${place.write('audit.jsonl', auditLog())}`),
  );
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    ({ page, problems } = await shown.open());
  });
  afterAll(() => expect(problems).toEqual([]));

  const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const firstIdFor = async (query: string) => {
    await open('Search');
    await page.getByRole('searchbox').fill(query);
    await page.locator('.hit').nth(1).waitFor();
    return (await page.locator('.hit .id').nth(1).textContent()) ?? '';
  };

  it('Why: a changed description changes the ranks of all queries, and names the losers', async () => {
    const second = await firstIdFor('our mails end up in the junk folder');
    await open('Why');
    await page.getByLabel('Skill, by id or name').fill(second);
    await page.getByLabel(/^Queries/).fill('our mails end up in the junk folder\nset up DMARC');
    const rows = page.locator('.why-result tbody tr');
    await rows.nth(1).waitFor();
    const before = await rows.first().locator('td').nth(1).textContent();
    expect(Number(before)).toBeGreaterThan(1);
    expect(await rows.first().locator('td').nth(2).textContent()).toContain(before);
    await page
      .getByLabel(/^Description/)
      .fill(
        'Keeps our mails out of the junk folder: set up DMARC. Use when mails end up in the junk folder.',
      );
    await page.locator('.why-result td.good').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'explore-why');
    expect(await page.locator('.difference ins').count()).toBeGreaterThan(0);
    // Nothing is lost by a look at another view, by Back, or by a reload.
    const draft = await page.getByLabel(/^Description/).inputValue();
    await open('Map');
    await page.goBack();
    await expect.poll(() => page.getByLabel(/^Description/).inputValue()).toBe(draft);
    await page.reload();
    await expect.poll(() => page.getByLabel(/^Description/).inputValue()).toBe(draft);
    expect(await page.getByLabel(/^Queries/).inputValue()).toContain('set up DMARC');
    await page.getByLabel(/^Description/).fill('x'.repeat(1_025));
    await page.getByText('1,025 of 1,024 characters: hosts refuse a longer one').waitFor();
    await page.getByRole('button', { name: 'Back to the present one' }).click();
    await expect.poll(() => page.locator('.why-result td.good').count()).toBe(0);
  });

  it('Search keeps its query while somebody looks at another view', async () => {
    await open('Search');
    await page.getByRole('searchbox').fill('write release notes');
    await page.waitForURL(/release/);
    await open('Map');
    await open('Search');
    await expect
      .poll(() => page.getByLabel('What do you want to do?').inputValue())
      .toBe('write release notes');
  });

  it('Why completes ids', async () => {
    await open('Why');
    await page.getByLabel('Skill, by id or name').fill('email');
    await page.locator('datalist option[value*="email"]').first().waitFor({ state: 'attached' });
    // What is no skill's name yet is a 404 in the browser's log.
    await expect.poll(() => problems.length).toBeGreaterThan(0);
    problems.length = 0;
  });

  it('Health: remarks by kind with a fix, collisions, and what use says', async () => {
    await open('Health');
    const kinds = page.locator('section').first();
    await kinds.locator('details, p:has-text("No remarks")').first().waitFor({ timeout: 600_000 });
    await page
      .getByText(/No two skills collide|pairs?, the hardest to tell apart/)
      .waitFor({ timeout: 600_000 });
    const kind = kinds.locator('details').first();
    if ((await kind.count()) > 0) {
      await kind.locator('summary').press('Enter');
      await kind.locator('.found li').first().waitFor();
    }
    const weak = page.getByText('Requests that no skill seemed to fit');
    await weak.click();
    await page.getByRole('link', { name: 'plan the office party' }).waitFor();
    await expectAccessible(page);
    await weak.click();
    await screenshot(page, 'explore-health');
  });

  it('Use: searches, loads and weak answers over time', async () => {
    await open('Use');
    await page.locator('.days canvas').waitFor();
    const figures = await page.locator('.figures dd').allTextContents();
    // 30 days of four searches and three loads, and those of this test; 30 of the searches are weak.
    expect(Number(figures[0])).toBeGreaterThanOrEqual(120);
    expect(Number(figures[1])).toBe(90);
    expect(await page.locator('.days tbody tr').count()).toBeGreaterThanOrEqual(DAYS);
    await page.getByRole('heading', { name: 'Weak answers' }).waitFor();
    await page.getByRole('heading', { name: 'In every prompt' }).waitFor();
    await page.getByText(/^skillgate: its instructions and tools take about [\d,]+ tokens\.$/).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'explore-use');
  });

  it.each(SIZES)(
    'Use has the searches of the first minute, with labelled columns, %s',
    async (_, options) => {
      const own = workplace();
      const mine = await serveExplore(own);
      const tab = await shown.tab(options);
      await tab.page.goto(mine.url);
      await goTo(tab.page, '#/use');
      await tab.page.getByText('There is nothing to show yet').waitFor();
      await goTo(tab.page, '#/search?q=clean+a+messy+csv');
      await tab.page.locator('.hit').first().waitFor();
      await goTo(tab.page, '#/use');
      await expect
        .poll(async () => {
          await tab.page.reload();
          await tab.page.locator('.use').waitFor();
          return tab.page.locator('.use td').allTextContents();
        })
        .toContain('clean a messy csv');
      expect(await tab.page.locator('thead th').allTextContents()).toEqual(
        expect.arrayContaining(['Query', 'Fit', 'Times']),
      );
      await tab.page.locator('.days canvas').waitFor();
      await expectToFit(tab.page);
      await expectAccessible(tab.page);
      expect(tab.problems).toEqual([]);
      await mine.end();
    },
  );
});
