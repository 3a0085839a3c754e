/** Promise: a person sees the whole catalog at once, finds regions by their names, and takes a list of skills out of it. */

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  expectToFit,
  explored,
  goTo,
  hasBrowser,
  SIZES,
  screenshot,
  serveExplore,
  serveSkills,
} from './browser.ts';

/** Names that are seen. */
const SHOWN = '.labels span[style*="visible"]';

describe.skipIf(!hasBrowser)('Map', () => {
  let audit: string;
  const { open } = explored((place) => {
    audit = join(place.folder, 'audit.jsonl');
    return serveExplore(place, '--set', `telemetry.audit=${audit}`);
  });
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    ({ page, problems } = await open());
    // What is found here is in the log, which colours the map by use.
    await page.getByRole('searchbox').fill('clean a messy csv');
    await page.locator('.hit').first().waitFor();
    await vi.waitFor(() => expect(readFileSync(audit, 'utf8')).toContain('messy csv'), 30_000);
    await page.getByRole('link', { name: 'Map' }).click();
    // Once for each generation; a large catalog takes minutes on a slow machine.
    await page.locator('.plane canvas').waitFor({ timeout: 600_000 });
    await page.locator(SHOWN).first().waitFor();
  }, 660_000);

  const skills = () => page.getByRole('status');
  const chosen = async () => Number((await skills().textContent())?.replace(/\D/g, ''));

  /** How many colours the canvas shows. */
  const painted = async () => {
    const image = await page.locator('.plane canvas').screenshot();
    // As text: the tests' types know no browser.
    return page.evaluate(`(async () => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(${JSON.stringify([...image])})]));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const pixels = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
      return new Set(pixels).size;
    })()`);
  };

  it('draws the skills in the colours of their themes, with names', async () => {
    expect(await painted()).toBeGreaterThan(10);
    const labels = await page.locator(SHOWN).allTextContents();
    expect(labels.length).toBeGreaterThan(1);
    expect(new Set(labels).size).toBe(labels.length);
    expect(problems).toEqual([]);
    await expectAccessible(page);
    await screenshot(page, 'explore-map');
  });

  it('chooses a theme by keyboard, and lists its skills', async () => {
    const theme = page.locator('.legend button').first();
    const size = Number((await theme.locator('.quiet').textContent())?.replace(/\D/g, ''));
    await theme.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /\d skills?$/ }).waitFor();
    expect(await chosen()).toBe(size);
    await expectAccessible(page);
  });

  it('exports what a lasso encloses', async () => {
    await page.getByRole('button', { name: 'Clear' }).click();
    const box = (await page.locator('.plane').boundingBox())!;
    const corner = async (x: number, y: number) =>
      page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    await page.keyboard.down('Shift');
    await corner(0.02, 0.02);
    await page.mouse.down();
    for (const [x, y] of [
      [0.98, 0.02],
      [0.98, 0.98],
      [0.02, 0.98],
    ] as const)
      await corner(x, y);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const all = await page.locator('.catalog b').textContent();
    const count = await chosen();
    expect(count).toBeGreaterThan(0.9 * Number(all?.replace(/\D/g, '')));
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as a list' }).click();
    const [head, ...rows] = readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(head).toBe('id\tname\tsource\ttheme');
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map((row) => row.split('\t')[0])).size).toBe(count);
    await page.getByRole('button', { name: 'Clear' }).click();
  });

  it('colours by remarks and by use', async () => {
    await page.getByRole('radio', { name: 'Suspicious passages' }).check();
    await page.getByRole('button', { name: /nothing suspicious/ }).waitFor();
    await page.getByRole('radio', { name: 'Use' }).check();
    await page.getByRole('button', { name: /never found/ }).waitFor();
    const found = page.getByRole('button', { name: /found, never loaded/ });
    // A page of hits, for each of the searches while it was typed.
    expect(Number((await found.textContent())?.replace(/\D/g, ''))).toBeGreaterThanOrEqual(5);
    await expectAccessible(page);
    await screenshot(page, 'explore-use-map');
    await page.getByRole('radio', { name: 'Theme' }).check();
  });

  it('lights the hits of a search with their ranks, moves by keyboard, and shows origins', async () => {
    await page.getByLabel('Search on the map').fill('clean a messy csv');
    await page.locator('.labels .chosen', { hasText: /^1 .*csv/i }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('radio', { name: 'Source' }).check();
    await page.locator('.legend-label').first().waitFor();
    const before = await page.locator(SHOWN).first().getAttribute('style');
    await page.locator('.plane canvas').focus();
    await page.keyboard.press('+');
    await expect.poll(() => page.locator(SHOWN).first().getAttribute('style')).not.toBe(before);
    await page.keyboard.press('0');
    await page.getByRole('radio', { name: 'Theme' }).check();
    await expectAccessible(page);
  });
});

const SKILL = (name: string, words: string) =>
  `---\nname: ${name}\ndescription: ${words}. Use when somebody asks for ${words.toLowerCase()}.\n---\n# ${name}\n\n${words}.\n`;
/** The last two stand next to each other; a test says that they collide. */
const FEW = {
  'one/repair/bikes': 'Repairs bicycles with flat tyres',
  'one/repair/cars': 'Repairs cars with broken engines',
  'two/bake/bread': 'Bakes sourdough bread from rye flour',
  'two/bake/cakes': 'Bakes chocolate cakes with cream',
  'two/tax/returns': 'Fills in tax returns for freelancers',
  'one/tax/statements': 'Fills in tax returns for a freelancer',
};

describe.skipIf(!hasBrowser)('a map of few skills', () => {
  let place: Workplace;
  const { open, tab } = explored((own) => {
    place = own;
    for (const [path, words] of Object.entries(FEW))
      place.write(`skills/${path}/SKILL.md`, SKILL(path.split('/').at(-1)!, words));
    place.write('none/README.md', 'Nothing here yet.');
    return serveSkills(place, join(place.folder, 'skills'));
  });

  describe.each(SIZES)('at %s', (_, options) => {
    let page: Page;
    let problems: string[];
    beforeAll(async () => {
      ({ page, problems } = await open(options));
      await goTo(page, '#/map');
      await page.locator(SHOWN).first().waitFor();
    });
    afterAll(async () => {
      expect(problems).toEqual([]);
      await page.close();
    });

    const names = () => page.locator(SHOWN).allTextContents();
    const parameter = (name: string) => new URLSearchParams(page.url().split('?')[1]).get(name);

    it('names every skill, within the box and the screen', async () => {
      await expect
        .poll(async () => (await names()).sort())
        .toEqual(['bikes', 'bread', 'cakes', 'cars', 'returns', 'statements'].sort());
      const box = (await page.locator('.plane').boundingBox())!;
      for (const name of await page.locator(SHOWN).all()) {
        const { x, y, width, height } = (await name.boundingBox())!;
        expect(x).toBeGreaterThanOrEqual(box.x - 1);
        expect(x + width).toBeLessThanOrEqual(box.x + box.width + 1);
        expect(y).toBeGreaterThanOrEqual(box.y - 1);
        expect(y + height).toBeLessThanOrEqual(box.y + box.height + 1);
      }
      await expectToFit(page);
      await expectAccessible(page);
    });

    it('is magnified by buttons, which the address keeps over a reload, and shows all again', async () => {
      await page.getByRole('button', { name: 'Larger' }).click();
      await page.getByRole('button', { name: 'Larger' }).click();
      // The address follows when the movement has ended.
      const stands = async () => {
        const before = parameter('at');
        await page.waitForTimeout(500);
        return before !== null && before === parameter('at');
      };
      await expect.poll(stands).toBe(true);
      const at = parameter('at');
      await page.reload();
      await page.locator(SHOWN).first().waitFor();
      await expect.poll(() => parameter('at')).toBe(at);
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await expect.poll(() => parameter('at')).toBeNull();
    });

    it('chooses a legend entry and keeps the legend; Esc and a click on nothing choose none', async () => {
      const legend = page.locator('.legend button').first();
      await legend.click();
      await page.getByText(/^\d chosen$/).waitFor();
      expect(await legend.isVisible()).toBe(true);
      await page.reload();
      await page.getByText(/^\d chosen$/).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('6 skills', { exact: true }).first().waitFor();
      await legend.click();
      await page.getByText(/^\d chosen$/).waitFor();
      await page.locator('.pad').click({ position: { x: 3, y: 3 } });
      await page.getByText('6 skills', { exact: true }).first().waitFor();
      expect(parameter('kind')).toBeNull();
    });

    it('opens both skills of a collision from its line', async () => {
      // What collides is for the rule to say: here it is what the answer says.
      await page.route('**/api/overlay', async (route) => {
        const response = await route.fetch();
        const ids = Object.keys(FEW).sort();
        const at = (id: string) => ids.indexOf(id);
        const links = { state: 'done', result: [[at('two/tax/returns'), at('one/tax/statements')]] };
        // The page may be left meanwhile.
        await route.fulfill({ response, json: { ...(await response.json()), links } }).catch(() => {});
      });
      await page.reload();
      await page.getByLabel(/^1 collision/).check();
      // The middle of the line, from where the ends' names are.
      const [a, b] = await Promise.all(
        ['returns', 'statements'].map((name) => page.locator(SHOWN, { hasText: name }).boundingBox()),
      );
      const [x, y] = [(a!.x + b!.x + a!.width / 2) / 2, (a!.y + b!.y + a!.height) / 2];
      for (let aside = -90; aside < 90 && (await page.locator('.card').count()) < 2; aside += 4)
        await page.mouse.click(x + aside, y);
      await page.locator('.card').nth(1).waitFor();
      await page.locator('.card .id').first().click();
      await page.getByRole('heading', { level: 1, name: /returns|statements/ }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.unroute('**/api/overlay');
      await page.reload();
    });

    it('colours by folder where there is one source, and anew with the theme', async () => {
      await page.getByRole('radio', { name: 'Source' }).check();
      await expect.poll(() => page.locator('.legend-label').allTextContents()).toEqual(['one', 'two']);
      const swatch = () =>
        page
          .locator('.swatch')
          .first()
          .evaluate((dot) => dot.getAttribute('style'));
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await swatch();
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(swatch).not.toBe(light);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.getByRole('radio', { name: 'Theme' }).check();
    });

    it('is in the browser’s cache when it is opened again, and the server only says that it is the same', async () => {
      await page.reload();
      await page.locator(SHOWN).first().waitFor();
      const [sent, whole] = (await page.evaluate(`(() => {
        const { transferSize, decodedBodySize } = performance.getEntriesByName(new URL('api/map', location).href)[0];
        return [transferSize, decodedBodySize];
      })()`)) as [number, number];
      expect(whole).toBeGreaterThan(400);
      // Chromium counts 300 bytes for the headers.
      expect(sent).toBeLessThanOrEqual(300);
    });

    it('follows the catalog without a reload', async () => {
      const path = place.write('skills/two/sing/songs/SKILL.md', SKILL('songs', 'Sings songs of sailors'));
      await expect.poll(names).toContain('songs');
      await page.locator('.catalog', { hasText: '7 skills' }).waitFor();
      rmSync(dirname(path), { recursive: true });
      await expect.poll(names).not.toContain('songs');
    });
  });

  it('is magnified by two fingers', async () => {
    const { page } = await open(SIZES[1][1]);
    await goTo(page, '#/map');
    await page.locator(SHOWN).first().waitFor();
    const { x, y, width, height } = (await page.locator('.plane').boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', gap: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [-gap, gap].map((side) => ({ x: x + width / 2 + side, y: y + height / 2 })),
      });
    await touch('touchStart', 20);
    for (const gap of [40, 60, 80]) await touch('touchMove', gap);
    await touch('touchEnd', 80);
    await page.waitForURL(/at=/);
    await page.close();
  });

  it('says so where there are no skills', async () => {
    const empty = await serveSkills(place, join(place.folder, 'none'), join(place.folder, 'empty-index'));
    const { page, problems } = await tab();
    await page.goto(empty.url);
    await goTo(page, '#/map');
    await page.getByRole('heading', { name: 'There are no skills yet' }).waitFor();
    expect(problems).toEqual([]);
    await empty.end();
  });
});
