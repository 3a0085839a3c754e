/** Promise: the page keeps its token to itself, runs nothing but its own files, and works by keyboard, in the dark and on a phone. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Workplace, workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  hasBrowser,
  launch,
  openPage,
  type ServedPage,
  SIZES,
  serveExplore,
} from './browser.ts';

describe.skipIf(!hasBrowser)('the frame', () => {
  let place: Workplace;
  let served: ServedPage;
  let browser: Browser;
  beforeAll(async () => {
    place = workplace();
    [served, browser] = await Promise.all([serveExplore(place), launch()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.end();
    place.remove();
  });

  it('takes the token out of the address, asks only its own server, and obeys its policy', async () => {
    const { page, problems, requests } = await openPage(browser);
    await page.goto(served.url);
    await page.getByText(/skills · /).waitFor();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByText(/skills · /).waitFor();
    const { origin } = new URL(served.url);
    expect(requests.length).toBeGreaterThan(3);
    expect(requests.filter((url) => new URL(url).origin !== origin)).toEqual([]);
    expect(requests.filter((url) => url.includes('token'))).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('without the token shows nothing of the catalog and asks for it', async () => {
    const { page } = await openPage(browser);
    await page.goto(served.url.replace(/#.*/, ''));
    const field = page.getByLabel('Your token');
    await field.waitFor();
    await expectAccessible(page);
    await field.fill(/token=(.*)/.exec(served.url)![1]!);
    await page.keyboard.press('Enter');
    await page.getByText(/skills · /).waitFor();
    await page.close();
  });

  it.each(SIZES)(
    'writes no token into the address, also while somebody types after a fresh start, %s',
    async (_, options) => {
      const { page } = await openPage(browser, options);
      const addresses: string[] = [];
      page.on('framenavigated', (frame) => addresses.push(frame.url()));
      await page.goto(served.url);
      await page.getByRole('searchbox').pressSequentially('csv');
      await page.waitForURL(/#\/search\?q=csv$/);
      expect(addresses.slice(1).filter((url) => url.includes('token'))).toEqual([]);
      await page.close();
    },
  );

  it('survives a restart with --keep: an open tab goes on, and a link works in a new one', async () => {
    const own = workplace();
    const first = await serveExplore(own, '--keep');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(first.url);
    await page.getByText(/skills · /).waitFor();
    await first.end();
    const second = await serveExplore(own, '--keep');
    expect(second.url).toBe(first.url);
    await page.getByRole('searchbox').fill('csv');
    await page.locator('.hit').first().waitFor();
    const tab = await context.newPage();
    await tab.goto(first.url.replace(/#.*/, '#/skill/csv-cleaning'));
    await tab.getByRole('heading', { level: 1, name: 'csv-cleaning' }).waitFor();
    await context.close();
    await second.end();
    own.remove();
  });

  it('calls a void token void', async () => {
    const { page } = await openPage(browser);
    await page.goto(served.url.replace(/token=.*/, `token=${'A'.repeat(32)}`));
    await page.getByText(/The token that this tab holds is void/).waitFor();
    await expectAccessible(page);
    await page.close();
  });

  it.each([
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 390, height: 844 } }],
  ] as const)('is readable %s', async (_, options) => {
    const { page } = await openPage(browser, options);
    await page.goto(served.url);
    await page.getByLabel('What do you want to do?').fill('roll back a bad migration');
    await page.getByText('What the agent receives').waitFor();
    await expectAccessible(page);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.close();
  });
});
