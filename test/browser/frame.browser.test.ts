/** Promise: the page keeps its token to itself, runs nothing but its own files, and works by keyboard, in the dark and on a phone. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  expectToFit,
  explored,
  inBrowser,
  SIZES,
  serveExplore,
  serveSkills,
  untilFinished,
} from './browser.ts';

describe('the frame', inBrowser, () => {
  const { url, tab, context } = explored();

  it('takes the token out of the address, asks only its own server, and obeys its policy', async () => {
    const { page, problems, requests } = await tab();
    await page.goto(url());
    await page.locator('.catalog b').waitFor();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.locator('.catalog b').waitFor();
    const { origin } = new URL(url());
    expect(requests.length).toBeGreaterThan(3);
    expect(requests.filter((url) => new URL(url).origin !== origin)).toEqual([]);
    expect(requests.filter((url) => url.includes('token'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('shows its frame before its code runs, as it is afterwards', async () => {
    const looks = async (javaScriptEnabled: boolean) => {
      const { page } = await tab({ javaScriptEnabled });
      await page.goto(url());
      if (javaScriptEnabled) await page.getByRole('searchbox').waitFor();
      const links = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').all();
      return Promise.all(links.map((link) => Promise.all([link.textContent(), link.boundingBox()])));
    };
    const before = await looks(false);
    expect(before.map(([text]) => text)).toEqual(['Explore', 'Improve']);
    expect(before).toEqual(await looks(true));
  });

  it('without the token shows nothing of the catalog and asks for it', async () => {
    const { page } = await tab();
    await page.goto(url().replace(/#.*/, ''));
    const field = page.getByLabel('Your token');
    await field.waitFor();
    await expectAccessible(page);
    await field.fill(/token=(.*)/.exec(url())![1]!);
    await page.keyboard.press('Enter');
    await page.locator('.catalog b').waitFor();
  });

  it.each(SIZES)(
    'writes no token into the address, also while somebody types after a fresh start, %s',
    async (_, options) => {
      const { page } = await tab(options);
      const addresses: string[] = [];
      page.on('framenavigated', (frame) => addresses.push(frame.url()));
      await page.goto(url());
      await page.getByRole('searchbox').pressSequentially('csv');
      await page.waitForURL(/#\/explore\?q=csv$/);
      expect(addresses.slice(1).filter((url) => url.includes('token'))).toEqual([]);
    },
  );

  it('survives a restart with --keep: an open tab goes on, and a link works in a new one', async () => {
    const own = workplace();
    const first = untilFinished(await serveExplore(own, '--keep'));
    const both = await context();
    const page = await both.newPage();
    await page.goto(first.url);
    await page.locator('.catalog b').waitFor();
    await first.end();
    const second = untilFinished(await serveExplore(own, '--keep'));
    expect(second.url).toBe(first.url);
    await page.getByRole('searchbox').fill('csv');
    await page.locator('.hit').first().waitFor();
    const link = await both.newPage();
    await link.goto(first.url.replace(/#.*/, '#/skill/csv-cleaning'));
    await link.getByRole('heading', { level: 1, name: 'csv-cleaning' }).waitFor();
    await both.close();
  });

  it.each(SIZES)(
    'says so on every view when the server stops, also on one not opened before, and goes on by itself, %s',
    async (_, options) => {
      const own = workplace();
      const first = untilFinished(await serveExplore(own, '--keep'));
      const { page } = await tab(options);
      await page.goto(first.url);
      await page.getByRole('searchbox').fill('csv');
      await page.locator('.hit').first().waitFor();
      await first.end();
      const said = page.getByRole('alert').filter({ hasText: 'The server does not answer.' });
      for (const name of ['Improve', 'Explore', 'Improve']) {
        await page.getByRole('link', { name, exact: true }).click();
        await said.waitFor();
      }
      await expectToFit(page);
      await expectAccessible(page);
      untilFinished(await serveExplore(own, '--keep'));
      await said.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Explore', exact: true }).click();
      await page.locator('.hit').first().waitFor();
    },
  );

  it('shows a saved file at once, in the hits and in the header', async () => {
    const own = workplace();
    const skill = (words: string) => `---\nname: sailing\ndescription: ${words}\n---\n# Sailing\n\nSail.\n`;
    own.write('skills/sailing/SKILL.md', skill('Plans a trip by boat. Use when somebody wants to sail.'));
    const mine = untilFinished(await serveSkills(own, join(own.folder, 'skills')));
    const { page } = await tab();
    await page.goto(mine.url);
    await page.getByRole('searchbox').fill('sail across the lake');
    await page.getByText('Plans a trip by boat').first().waitFor();
    own.write('skills/sailing/SKILL.md', skill('Plans a voyage by boat. Use when somebody wants to sail.'));
    await page.getByText('Plans a voyage by boat').first().waitFor();
    own.write(
      'skills/rowing/SKILL.md',
      skill('Rows a boat. Use when somebody wants to row.').replaceAll('sailing', 'rowing'),
    );
    await page.locator('.catalog', { hasText: '2 skills' }).waitFor();
  });

  it.each(SIZES)(
    'shows the progress of a first index and of a later one, and goes on by itself, %s',
    async (_, options) => {
      const { page, problems } = await tab(options);
      // Indexing is over before a test can look: what the server says of it is decided here. `explorer.test.ts` has its half.
      let answer: (overview: { result: object }) => object = () => ({ state: 'working', share: 0 });
      await page.route('**/api/overview', (route) =>
        route
          .fetch()
          .then(async (response) => route.fulfill({ response, json: answer(await response.json()) }))
          // The tab was closed meanwhile.
          .catch(() => {}),
      );
      await page.goto(url());
      const state = page.getByRole('region', { name: 'State of the index' });
      await state.getByText('Reading the folders').waitFor();
      await expectToFit(page);
      await expectAccessible(page);
      answer = () => ({ state: 'working', share: 0.42 });
      await state.getByText('42 %').waitFor();
      answer = (overview) => ({ ...overview, result: { ...overview.result, indexing: 0.5 } });
      await page.locator('.catalog', { hasText: 'indexing 50 %' }).waitFor();
      await state.waitFor({ state: 'detached' });
      answer = (overview) => overview;
      await page.locator('.catalog', { hasText: /skills$/ }).waitFor();
      await page.getByRole('searchbox').fill('csv');
      await page.locator('.hit').first().waitFor();
      // The page asks again and again: the last answer may be on its way.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(problems).toEqual([]);
    },
  );

  it('calls a void token void, and takes the new address that is pasted into the same tab', async () => {
    const { page } = await tab();
    await page.goto(url().replace(/token=.*/, `token=${'A'.repeat(32)}`));
    await page.getByText(/The token in this tab is no longer valid/).waitFor();
    await expectAccessible(page);
    // Only the fragment changes: the page is not loaded again.
    await page.evaluate(`location.href = ${JSON.stringify(url())}`);
    await page.locator('.catalog b').waitFor();
    expect(page.url()).not.toContain('token');
  });

  it.each([
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 390, height: 844 } }],
  ] as const)('is readable %s', async (_, options) => {
    const { page } = await tab(options);
    await page.goto(url());
    await page.getByLabel('What do you want to do?').fill('roll back a bad migration');
    await page.getByText('What the agent gets').waitFor();
    await expectAccessible(page);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
