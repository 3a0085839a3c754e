/** Promise: a person sees what an agent would find, and why, as they type. */

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectToFit, explored, hasBrowser, SIZES, screenshot } from './browser.ts';

/** What the tests' types do not know of browsers. */
interface Shown {
  getComputedStyle(element: unknown): { readonly backgroundColor: string };
}

describe.skipIf(!hasBrowser)('Search', () => {
  const { open } = explored();
  let page: Page;
  beforeAll(async () => {
    ({ page } = await open());
  });

  const query = () => page.getByRole('searchbox').first();

  it('finds while somebody types, marks the words, and shows what the agent receives', async () => {
    await query().pressSequentially('customers say our mails end up in junk', { delay: 5 });
    const first = page.locator('.hit').first();
    // Answers to the first letters come before.
    await first.getByRole('button', { name: /mail|inbox|deliver/i }).waitFor();
    expect(await first.locator('mark').count()).toBeGreaterThan(0);
    expect(await page.locator('.verdict').textContent()).toMatch(/Chance that a skill fits0\.\d\d/);
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
    await page.locator('.verdict p.none', { hasText: 'No skill seems to fit' }).waitFor();
  });

  describe.each(SIZES)('at %s', (_, options) => {
    let own: Page;
    let problems: string[];
    beforeAll(async () => {
      ({ page: own, problems } = await open(options));
    });
    afterAll(async () => {
      expect(problems).toEqual([]);
      await own.close();
    });

    it('begins with examples, themes, health in figures and the last searches', async () => {
      const examples = own.locator('section', { hasText: 'For example' }).getByRole('link');
      await examples.nth(2).waitFor();
      await own.getByRole('heading', { name: 'Themes' }).waitFor();
      await own.getByText(/^\d+ collisions$/).waitFor({ timeout: 600_000 });
      await expectAccessible(own);
      await expectToFit(own);
      const example = await examples.first().textContent();
      await examples.first().click();
      await own.locator('.hit').first().waitFor();
      expect(await own.getByRole('searchbox').inputValue()).toBe(example);
      // It is one of the last searches once it stood for a moment.
      await expect
        .poll(() => own.evaluate('localStorage.getItem("skillgate-kept searches")'))
        .toContain(example);
      await own.getByRole('searchbox').fill('');
      await own
        .locator('section', { hasText: 'Last searches' })
        .getByRole('link', { name: example! })
        .waitFor();
    });

    it('gives one of three verdicts with one number, and how it came about on demand', async () => {
      await own.getByRole('searchbox').fill('customers say our mails end up in junk');
      await own.locator('.verdict p.fits').waitFor();
      expect(await own.locator('.verdict .meter').count()).toBe(1);
      await own.getByText('How', { exact: true }).click();
      await own.getByText(/skills in \d+\.\d ms, hybrid/).waitFor();
      await own.getByRole('searchbox').fill('xyzzy plugh frobnicate quux');
      await own.locator('.verdict p.none').waitFor();
    });

    it('collects ticked hits as a set of queries, measures it, and saves what eval reads', async () => {
      const text = 'customers say our mails end up in junk';
      await own.getByRole('searchbox').fill(text);
      await own.locator('.verdict p.fits').waitFor();
      const tick = own.locator('.hit').first().getByRole('checkbox');
      await tick.check();
      await own.reload();
      await expect.poll(() => tick.isChecked()).toBe(true);
      await own.getByText('1 marked query', { exact: true }).click();
      await own.getByRole('button', { name: 'Measure' }).click();
      await own.getByText('The first hit is right for 1 of 1, one of the first five for 1.').waitFor();
      await expectToFit(own);
      await expectAccessible(own);
      const files = new Map<string, string>();
      own.on('download', async (file) => files.set(file.suggestedFilename(), await file.path()));
      await own.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => files.size).toBe(2);
      const read = (name: string) => readFileSync(files.get(name)!, 'utf8');
      expect(JSON.parse(read('queries.jsonl'))).toEqual({ _id: 'q1', text });
      expect(read('qrels.tsv')).toMatch(/^query-id\tcorpus-id\tscore\nq1\t\S+\t1\n$/);
      const opened = ['queries.jsonl', 'qrels.tsv'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(read(name)),
      }));
      await own.getByRole('button', { name: 'Forget' }).click();
      await expect.poll(() => tick.isChecked()).toBe(false);
      await own.locator('input[type=file]').setInputFiles(opened);
      await expect.poll(() => tick.isChecked()).toBe(true);
      await own.getByRole('button', { name: 'Forget' }).click();
    });

    it('labels and colours every part of a score', async () => {
      await own.getByRole('searchbox').fill('csv-cleaning');
      const first = own.locator('.hit-name').first();
      // Until then the hits of the query before stand there.
      await expect.poll(() => first.textContent()).toBe('csv-cleaning');
      await first.click();
      await own.getByText('Parts of the score').first().waitFor();
      const parts = own.locator('.reasons tr');
      expect(await parts.locator('th').allTextContents()).not.toContain('name');
      for (const colour of await parts
        .locator('.swatch')
        .evaluateAll((swatches) =>
          swatches.map((swatch) => (globalThis as never as Shown).getComputedStyle(swatch).backgroundColor),
        ))
        expect(colour).not.toBe('rgba(0, 0, 0, 0)');
    });
  });
});
