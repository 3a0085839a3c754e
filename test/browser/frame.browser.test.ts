/** Promise: the page keeps its token to itself, runs nothing but its own files, and works by keyboard, in the dark and on a phone. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Workplace, workplace } from '../acceptance/command.ts';
import { expectAccessible, hasBrowser, launch, openPage, type ServedPage, serveExplore } from './browser.ts';

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
