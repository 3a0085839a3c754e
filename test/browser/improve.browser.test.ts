/** Promise: a person sees what is worth doing, the worst first, and improves a description with its ranks in sight. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectToFit,
  explored,
  goTo,
  inBrowser,
  renewAfterFailure,
  SIZES,
  screenshot,
  serveSkills,
} from './browser.ts';

const skill = (name: string, description: string, body = 'Do it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n\n${body}\n`;

/** A month of calls of agents, as the audit log has them. */
const auditLog = () =>
  Array.from({ length: 12 }, (_, at) => {
    const call = {
      level: 'info',
      time: new Date(Date.UTC(2026, 9, 1, 9, at)).toISOString(),
      event: 'call',
      who: 'local',
      outcome: 'ok',
      ms: 2,
    };
    const search = (query: string, hits: readonly string[], fit: number) => ({
      ...call,
      call: 'search',
      arguments: { query },
      hits,
      fit,
      weak: fit < 0.5,
    });
    return at % 2 === 0
      ? search('plan the office party', [], 0.1)
      : search('mails end up in the junk folder', ['shop/news', 'shop/letters'], 0.9);
  })
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

describe('Improve', inBrowser, () => {
  const { open, url } = explored((place) => {
    const write = (id: string, text: string) => place.write(`skills/${id}/SKILL.md`, text);
    write(
      'shop/letters',
      skill(
        'letters',
        'Sends letters to all customers. Use when the user says "send a letter to all customers".',
        'See [this](gone.md).',
      ),
    );
    write(
      'shop/news',
      skill(
        'news',
        'Keeps mails out of the junk folder. Use when mails end up in the junk folder.',
        'See [that](lost.md).',
      ),
    );
    write(
      'shop/deploy',
      skill('deploy', 'Deploys the shop.', `Use the key ${'ghp_'}Zk3v9QwLx82TnYb6RcJd1HsPa7GfUe5MoKt4.`),
    );
    const same = 'Quantizes a large language model into gguf files';
    write(
      'lab/gguf',
      skill(
        'gguf',
        `${same} with k-quants. Use when a model has to run on a laptop.`,
        'Quantize. '.repeat(60),
      ),
    );
    write(
      'lab/llama',
      skill(
        'llama',
        `${same} for the server. Use when a model has to run on a laptop.`,
        'Serve it over HTTP with many slots. '.repeat(60),
      ),
    );
    const audit = place.write('audit.jsonl', auditLog());
    return serveSkills(place, join(place.folder, 'skills'), undefined, '--set', `telemetry.audit=${audit}`);
  });

  describe.each(SIZES)('at %s', (size, options) => {
    let page: Page;
    let problems: string[];
    const begin = async () => {
      await page.getByRole('link', { name: 'Improve', exact: true }).click();
      await page.getByText(/^\d+ things? to do/).waitFor();
      await page.locator('progress').first().waitFor({ state: 'detached' });
    };
    beforeAll(async () => {
      ({ page, problems } = await open({ ...options, reducedMotion: 'reduce' }));
      await begin();
    });
    renewAfterFailure(() => ({ page, problems }), url, begin);
    afterAll(async () => {
      expect(problems).toEqual([]);
      await page.close();
    });

    const lines = () => page.locator('.work > li').allTextContents();

    it('lists keys first, then what was asked in vain, collisions, dead files, and folds the rest', async () => {
      const titles = (await page.locator('.improve h2').allTextContents()).map((text) =>
        text.replace(/ \d.*$/, ''),
      );
      const order = [
        'Keys and attacks',
        'Asked, and nothing fitted',
        'An agent cannot tell them apart',
        'Found, and never loaded',
        'Named files are missing',
        'Small things',
      ];
      expect(titles).toEqual(order.filter((title) => titles.includes(title)));
      expect(titles).toEqual(
        expect.arrayContaining(['Keys and attacks', 'Asked, and nothing fitted', 'Named files are missing']),
      );
      await page.getByText('“plan the office party”').waitFor();
      await page.getByText('2 skills in shop').waitFor();
      if (size === '1440 × 900') await screenshot(page, 'explore-improve');
      await expectAccessible(page);
      await expectToFit(page);
    });

    it('opens the place of a line, and ignores a line until it is asked for', async () => {
      const before = await lines();
      const key = page.locator('.work > li').first();
      await key.getByRole('link', { name: /^Open SKILL.md:\d/ }).click();
      await page.locator('.skill .lit').first().waitFor();
      await page.goBack();
      await page.locator('.work > li').first().getByRole('button', { name: 'Ignore' }).click();
      await expect.poll(async () => (await lines()).length).toBe(before.length - 1);
      await page.getByRole('button', { name: 'Show what is ignored' }).click();
      await expect.poll(lines).toEqual(before);
    });

    it('is narrowed to a folder', async () => {
      await page.getByLabel('Folder').selectOption('lab');
      await expect.poll(async () => (await lines()).join()).not.toContain('shop');
      await page.getByLabel('Folder').selectOption('');
    });

    it('opens a draft with its queries, shows ranks now and then, and keeps what was written', async () => {
      await goTo(page, '#/improve/shop/letters');
      const [description, queries] = [page.getByLabel(/^Description/), page.getByLabel(/^Queries/)];
      await expect
        .poll(() => queries.inputValue())
        .toBe('send a letter to all customers\nmails end up in the junk folder');
      const rank = page.locator('.ranks tbody tr').nth(1).locator('td').nth(1);
      await expect.poll(async () => Number(await rank.textContent())).toBeGreaterThan(1);
      await description.fill(
        'Keeps our mails out of the junk folder. Use when mails end up in the junk folder.',
      );
      await page.locator('.ranks td.good', { hasText: /^\d → 1$/ }).waitFor();
      expect(await page.locator('.difference ins').count()).toBeGreaterThan(0);
      await page.getByText('Skills that would lose').waitFor();
      await expectAccessible(page);
      await expectToFit(page);
      const draft = await description.inputValue();
      await page.reload();
      await expect.poll(() => description.inputValue()).toBe(draft);
      await description.fill('x'.repeat(1_025));
      await page.getByText('1,025 of 1,024 characters: hosts refuse a longer one').waitFor();
      await page.getByRole('button', { name: 'Back to the current one' }).click();
      await expect.poll(() => page.locator('.ranks td.good').count()).toBe(0);
      await goTo(page, '#/improve');
    });
  });
});
