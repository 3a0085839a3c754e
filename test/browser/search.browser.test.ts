/** Promise: a person sees what an agent would find, and why, as they type. */

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Workplace, workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  hasBrowser,
  launch,
  openPage,
  type ServedPage,
  screenshot,
  serveExplore,
} from './browser.ts';

describe.skipIf(!hasBrowser)('Search', () => {
  let place: Workplace;
  let served: ServedPage;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    place = workplace();
    [served, browser] = await Promise.all([serveExplore(place), launch()]);
    ({ page } = await openPage(browser));
    await page.goto(served.url);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.end();
    place.remove();
  });

  const query = () => page.getByRole('searchbox').first();

  it('finds while somebody types, marks the words, and shows what the agent receives', async () => {
    await query().pressSequentially('customers say our mails end up in junk', { delay: 5 });
    const first = page.locator('.hit').first();
    // Answers to the first letters come before.
    await first.getByRole('button', { name: /mail|inbox|deliver/i }).waitFor();
    expect(await first.locator('mark').count()).toBeGreaterThan(0);
    expect(await page.locator('.verdict').textContent()).toMatch(/Fit0\.\d\d/);
    const agent = page.locator('.agent');
    expect(await agent.textContent()).toMatch(/about \d+ tokens/);
    expect(await agent.locator('pre').textContent()).toMatch(/^A skill fits \(0\.\d+\)/);
    await expectAccessible(page);
    await screenshot(page, 'explore-search');
  });

  it('goes through the hits by keyboard and opens the parts of a score', async () => {
    await query().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const second = page.locator('.hit').nth(1);
    await second.getByText('Parts of the score').waitFor();
    const numbers = await second.locator('.reasons td').allTextContents();
    const sum = numbers.reduce((total, text) => total + Number(text), 0);
    expect(sum).toBeCloseTo(Number(await second.locator('.score > span').last().textContent()), 1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await query().evaluate((field) => field.matches(':focus'))).toBe(true);
    await expectAccessible(page);
  });

  it('shows more hits', async () => {
    const before = await page.locator('.hit').count();
    await page.getByRole('button', { name: 'More hits' }).click();
    await page.locator('.hit').nth(before).waitFor();
    expect(await page.locator('.hit .rank').allTextContents()).toEqual(
      Array.from({ length: await page.locator('.hit').count() }, (_, at) => String(at + 1)),
    );
  });

  it('compares a person’s words with an agent’s query, side by side', async () => {
    await page.getByRole('button', { name: 'Compare with another wording' }).click();
    await page.getByLabel('The query an agent would send').fill('email deliverability spam folder SPF DKIM');
    await page
      .getByText(/rank \d+ in the other/)
      .first()
      .waitFor();
    expect(await page.getByText('What the agent receives').count()).toBe(2);
    await expectAccessible(page);
    await screenshot(page, 'explore-compare');
    await page.getByRole('button', { name: 'Stop comparing' }).click();
  });

  it('keeps the query in the address, for back, forward and bookmarks', async () => {
    await query().fill('clean a csv');
    await page.waitForURL(/q=clean\+a\+csv/);
    await page.reload();
    expect(await query().inputValue()).toBe('clean a csv');
    await page.locator('.hit').first().waitFor();
  });

  it('says so when nothing fits', async () => {
    await query().fill('xyzzy plugh frobnicate quux');
    await page.getByText('No skill seems to fit:').waitFor();
  });
});
