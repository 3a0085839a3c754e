/** Promise: the page keeps its token to itself, runs nothing but its own files, and works by keyboard, in the dark and on a phone. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  expectToFit,
  explored,
  hasBrowser,
  SIZES,
  serveExplore,
  serveSkills,
} from './browser.ts';

/** Skills that take seconds to index. */
const MANY = 1_200;

describe.skipIf(!hasBrowser)('the frame', () => {
  const { url, tab, context } = explored();

  it('takes the token out of the address, asks only its own server, and obeys its policy', async () => {
    const { page, problems, requests } = await tab();
    await page.goto(url());
    await page.getByText(/skills · /).waitFor();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByText(/skills · /).waitFor();
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
    expect(before.map(([text]) => text)).toEqual(['Search', 'Why', 'Map', 'Health', 'Use']);
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
    await page.getByText(/skills · /).waitFor();
  });

  it.each(SIZES)(
    'writes no token into the address, also while somebody types after a fresh start, %s',
    async (_, options) => {
      const { page } = await tab(options);
      const addresses: string[] = [];
      page.on('framenavigated', (frame) => addresses.push(frame.url()));
      await page.goto(url());
      await page.getByRole('searchbox').pressSequentially('csv');
      await page.waitForURL(/#\/search\?q=csv$/);
      expect(addresses.slice(1).filter((url) => url.includes('token'))).toEqual([]);
    },
  );

  it('survives a restart with --keep: an open tab goes on, and a link works in a new one', async () => {
    const own = workplace();
    const first = await serveExplore(own, '--keep');
    const both = await context();
    const page = await both.newPage();
    await page.goto(first.url);
    await page.getByText(/skills · /).waitFor();
    await first.end();
    const second = await serveExplore(own, '--keep');
    expect(second.url).toBe(first.url);
    await page.getByRole('searchbox').fill('csv');
    await page.locator('.hit').first().waitFor();
    const link = await both.newPage();
    await link.goto(first.url.replace(/#.*/, '#/skill/csv-cleaning'));
    await link.getByRole('heading', { level: 1, name: 'csv-cleaning' }).waitFor();
    await both.close();
    await second.end();
  });

  it.each(SIZES)(
    'says so on every view when the server stops, also on one not opened before, and goes on by itself, %s',
    async (_, options) => {
      const own = workplace();
      const first = await serveExplore(own, '--keep');
      const { page } = await tab(options);
      await page.goto(first.url);
      await page.getByRole('searchbox').fill('csv');
      await page.locator('.hit').first().waitFor();
      // The other views are loaded behind the first one.
      await page.waitForLoadState('networkidle');
      await first.end();
      const said = page.getByRole('alert').filter({ hasText: 'The server does not answer.' });
      for (const name of ['Search', 'Why', 'Health', 'Use']) {
        await page.getByRole('link', { name, exact: true }).click();
        await said.waitFor();
      }
      await expectToFit(page);
      await expectAccessible(page);
      const second = await serveExplore(own, '--keep');
      await said.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.locator('.hit').first().waitFor();
      await second.end();
    },
  );

  it('shows a saved file at once, in the hits and in the header', async () => {
    const own = workplace();
    const skill = (words: string) => `---\nname: sailing\ndescription: ${words}\n---\n# Sailing\n\nSail.\n`;
    own.write('skills/sailing/SKILL.md', skill('Plans a trip by boat. Use when somebody wants to sail.'));
    const mine = await serveSkills(own, join(own.folder, 'skills'));
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
    await mine.end();
  });

  it.each(SIZES)(
    'shows the progress of a first index and of a later one, and goes on by itself, %s',
    async (_, options) => {
      const own = workplace();
      const skill = (at: number) =>
        `---\nname: knot-${at}\ndescription: Ties knot number ${at}. Use when somebody asks for it.\n---\n# Knot ${at}\n\n${'Pull the end through the loop. '.repeat(60)}\n`;
      for (let at = 0; at < MANY; at += 1) own.write(`skills/knot-${at}/SKILL.md`, skill(at));
      const mine = await serveSkills(own, join(own.folder, 'skills'));
      const { page, problems } = await tab(options);
      // What the page showed, from its beginning: the progress may be over before a test looks.
      await page.addInitScript(`(() => {
      window.shares = [];
      window.said = [];
      new MutationObserver(() => {
        const bar = document.querySelector('progress');
        if (bar !== null && bar.value !== window.shares.at(-1)) window.shares.push(bar.value);
        const found = /indexing \\d+ %/.exec(document.querySelector('.catalog')?.textContent ?? '');
        if (found !== null) window.said.push(found[0]);
      }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    })()`);
      await page.goto(mine.url);
      await page.getByRole('heading', { name: 'Your skills are being indexed' }).waitFor();
      await expectToFit(page);
      await expectAccessible(page);
      await page.locator('.catalog', { hasText: `${MANY.toLocaleString('en')} skills` }).waitFor();
      const shares = (await page.evaluate('window.shares')) as number[];
      expect(shares.length).toBeGreaterThan(1);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      await page.getByRole('searchbox').fill('tie a knot');
      await page.locator('.hit').first().waitFor();
      for (let at = MANY; at < 2 * MANY; at += 1) own.write(`skills/knot-${at}/SKILL.md`, skill(at));
      await page.locator('.catalog', { hasText: `${(2 * MANY).toLocaleString('en')} skills` }).waitFor();
      expect(await page.evaluate('window.said')).not.toEqual([]);
      expect(problems).toEqual([]);
      await mine.end();
    },
  );

  it('calls a void token void', async () => {
    const { page } = await tab();
    await page.goto(url().replace(/token=.*/, `token=${'A'.repeat(32)}`));
    await page.getByText(/The token that this tab holds is void/).waitFor();
    await expectAccessible(page);
  });

  it.each([
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 390, height: 844 } }],
  ] as const)('is readable %s', async (_, options) => {
    const { page } = await tab(options);
    await page.goto(url());
    await page.getByLabel('What do you want to do?').fill('roll back a bad migration');
    await page.getByText('What the agent receives').waitFor();
    await expectAccessible(page);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
