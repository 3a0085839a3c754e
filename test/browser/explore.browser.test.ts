/** Promise: a person finds skills by what they want to do, sees them on the map, and browses the map without a query. */

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Workplace, workplace } from '../acceptance/command.ts';
import {
  expectAccessible,
  expectToFit,
  explored,
  inBrowser,
  renewAfterFailure,
  SIZES,
  screenshot,
  search,
  serveExplore,
  serveSkills,
  untilFinished,
} from './browser.ts';

const JUNK = 'customers say our mails end up in junk';
const SHOWN = '.labels span[style*="visible"]';

describe('Explore', inBrowser, () => {
  let audit: string;
  const { open, tab, url } = explored((place) => {
    audit = join(place.folder, 'audit.jsonl');
    return serveExplore(place, '--set', `telemetry.audit=${audit}`);
  });

  describe.each(SIZES)('at %s', (size, options) => {
    const isPhone = size === '390 × 844';
    let page: Page;
    let problems: string[];
    // Once for each generation; a large catalog takes many minutes on a busy machine.
    const begin = () => page.locator(SHOWN).first().waitFor({ timeout: 1_800_000 });
    beforeAll(async () => {
      ({ page, problems } = await open({ ...options, reducedMotion: 'reduce' }));
      await begin();
    }, 1_860_000);
    afterAll(async () => {
      expect(problems).toEqual([]);
      await page.close();
    });
    renewAfterFailure(() => ({ page, problems }), url, begin);

    const box = () => page.getByRole('searchbox').first();
    const names = () => page.locator('.hit-name').allTextContents();
    const focused = () => page.evaluate('document.activeElement.textContent');

    it('begins with whole requests, which search', async () => {
      const examples = page.locator('section', { hasText: 'For example' }).getByRole('link');
      await examples.nth(2).waitFor();
      for (const text of await examples.allTextContents())
        expect(text).not.toMatch(/\b(?:with|to|for|a|the|of)$/);
      await expectAccessible(page);
      await expectToFit(page);
      const example = await examples.first().textContent();
      await examples.first().click();
      await page.locator('.hit').first().waitFor();
      expect(await box().inputValue()).toBe(example);
    });

    it('finds while a person types, with the same numbers on the map, one figure, and marked words', async () => {
      await box().fill('');
      await box().pressSequentially(JUNK, { delay: 5 });
      const first = page.locator('.hit').first();
      await first
        .getByRole('link', { name: /mail|inbox|deliver/i })
        .first()
        .waitFor();
      await page.locator('[aria-busy="false"]').waitFor();
      expect(await first.locator('mark').count()).toBeGreaterThan(0);
      await page.locator('.verdict .fits', { hasText: 'A skill fits' }).waitFor();
      expect(await page.locator('.verdict').textContent()).toMatch(/A skill fits \([\d.]+\) [\d,]+ searched/);
      await page.locator('.labels .number', { hasText: /^1$/ }).first().waitFor();
      await expectAccessible(page);
      await expectToFit(page);
    });

    it('lights a hit where its point is hovered, and the other way round', async () => {
      if (isPhone) return;
      await search(page, JUNK);
      const first = page.locator('.hit').first();
      await first.hover();
      await page.locator('.labels.pulsing').waitFor();
      const number = page.locator('.labels .number:visible', { hasText: /^1$/ }).first();
      await page.getByRole('searchbox').hover();
      // The map may still move.
      const point = async () => {
        const spot = await number.boundingBox();
        if (spot !== null) await page.mouse.move(spot.x + 11, spot.y + 11);
        return page.locator('.hit.is-lit').count();
      };
      await expect.poll(point).toBe(1);
    });

    it('says what the agent gets', async () => {
      await search(page, JUNK);
      await page.getByRole('button', { name: /What the agent gets · \d+ tokens/ }).click();
      await page.locator('pre.agent', { hasText: /^A skill fits \(0\.\d+\)/ }).waitFor();
      await page.getByRole('button', { name: 'You' }).click();
      await expectAccessible(page);
    });

    it('opens the first hit by Enter and any by arrows, in the place of the list; Back returns to focus and scroll', async () => {
      await search(page, JUNK);
      await box().focus();
      await page.keyboard.press('Enter');
      await page.locator('.skill h1').waitFor();
      expect(await page.locator('.map').isVisible()).toBe(true);
      // The focus is back as soon as the list is: the next key may follow at once.
      const focus = page.evaluate(`new Promise((resolve) => {
        const check = () => document.querySelector('.skill') ?? resolve(String(document.activeElement?.type));
        new MutationObserver(check).observe(document.getElementById('main'), { childList: true });
        // Escape may have come first.
        check();
      })`);
      await page.keyboard.press('Escape');
      expect(await focus).toBe('search');
      for (let at = 0; at < 4; at += 1) await page.keyboard.press('ArrowDown');
      const name = await focused();
      const scroll = () =>
        page.locator('.list').evaluate((list) => (list as never as { scrollTop: number }).scrollTop);
      const before = await scroll();
      expect(before).toBeGreaterThan(0);
      await page.keyboard.press('Enter');
      await page.locator('.skill h1', { hasText: String(name) }).waitFor();
      await page.goBack();
      await expect.poll(focused).toBe(name);
      expect(Math.abs((await scroll()) - before)).toBeLessThan(3);
    });

    it('leaves Enter to an input method that is composing, and opens the hit with the next one', async () => {
      await search(page, JUNK);
      await box().focus();
      const session = await page.context().newCDPSession(page);
      await session.send('Input.imeSetComposition', { text: ' メール', selectionStart: 4, selectionEnd: 4 });
      await page.waitForURL(/%E3%83%A1/);
      await page.locator('[aria-busy="false"] .hit').first().waitFor();
      await page.keyboard.press('Enter');
      await page.evaluate('new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))');
      expect(page.url()).toMatch(/#\/explore/);
      await session.send('Input.insertText', { text: ' メール' });
      await page.keyboard.press('Enter');
      await page.locator('.skill h1').waitFor();
      await page.goBack();
      await session.detach();
    });

    it('compares two wordings in one list, the largest difference of ranks first', async () => {
      await search(page, JUNK);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByLabel('The query an agent would send').fill('clean a messy csv');
      await page.locator('.compared td:nth-child(2)', { hasText: /^1$/ }).waitFor();
      const ranks = (await page.locator('.compared tbody tr').allTextContents()).map((row) => row);
      expect(ranks.length).toBeGreaterThan(3);
      const rows = await page
        .locator('.compared tbody tr')
        .evaluateAll((found) =>
          found.map((row) =>
            [...(row as never as { cells: { textContent: string }[] }).cells]
              .slice(0, 2)
              .map((cell) => Number(cell.textContent) || 31),
          ),
        );
      const differences = rows.map(([own, agent]) => Math.abs(own! - agent!));
      expect(differences).toEqual(differences.toSorted((a, b) => b - a));
      await expectAccessible(page);
      await expectToFit(page);
      await page.getByRole('button', { name: 'You' }).click();
    });

    it('gives no verdict on a letter, and none where no word is known that a skill fits', async () => {
      await box().fill('m');
      await expect
        .poll(async () => (await page.locator('.verdict').textContent())?.trim())
        .toMatch(/^[\d,]+ searched/);
      await box().fill('xyzzy plugh frobnicate quux');
      await page.locator('.verdict .none', { hasText: 'No skill seems to fit' }).waitFor();
    });

    it('narrows the list by what skills have, with how many each choice leaves', async () => {
      await search(page, 'run a script');
      const choice = page.getByLabel('scripts', { exact: true });
      await choice.selectOption('with scripts');
      await expect.poll(() => names().then(({ length }) => length)).toBeGreaterThan(0);
      const left = async () => Number(/with scripts \((\d+)\)/.exec((await choice.textContent())!)![1]);
      await expect.poll(async () => (await names()).length - (await left())).toBeLessThanOrEqual(0);
      for (const hit of await page.locator('.list .hit').all())
        expect(await hit.textContent()).toMatch(/\d scripts?/);
      await choice.selectOption('');
    });

    // The audit log keeps what an earlier try asked.
    let tries = 0;
    it('keeps a query that a person waited for: in the address, and once in the audit log', async () => {
      tries += 1;
      const csv = `${isPhone ? 'phone' : 'desk'}${tries}: clean a csv`;
      const { page: slow } = await tab({ ...options, reducedMotion: 'reduce' });
      await slow.goto(url());
      const field = slow.getByRole('searchbox');
      await field.waitFor();
      // A second passes between two letters, however busy the machine is.
      await slow.clock.install({ time: new Date('2026-01-01') });
      await slow.clock.pauseAt(new Date('2026-01-02'));
      await field.focus();
      for (const letter of csv) {
        await slow.keyboard.type(letter);
        await slow.clock.runFor(1_000);
      }
      const logged = () =>
        [...readFileSync(audit, 'utf8').matchAll(/"call":"([\w.]*search)","arguments":\{"query":"([^"]*)"/g)]
          .filter(([, , query]) => csv.startsWith(query!))
          .map(([, call, query]) => `${call} ${query}`);
      expect(logged()).toEqual([]);
      await slow.clock.runFor(2_000);
      await expect.poll(logged).toEqual([`explore.search ${csv}`]);
      await slow.clock.resume();
      await slow.reload();
      await expect.poll(() => field.inputValue()).toBe(csv);
    });

    it('dims hits of an older query while the answer is late; Enter opens what was asked for, not what is listed', async () => {
      await search(page, 'clean a csv');
      const older = (await names())[0];
      let answer = () => {};
      const waiting = new Promise<void>((resolve) => {
        answer = resolve;
      });
      onTestFinished(() => answer());
      await page.route('**/api/search', async (route) => {
        await waiting;
        await route.continue().catch(() => {});
      });
      await box().fill('invoice late fee');
      await box().press('Enter');
      await page.locator('.stale[aria-busy="true"]').waitFor();
      expect(await page.locator('.skill').count()).toBe(0);
      answer();
      await page.locator('.skill h1').waitFor();
      const [first] = await names();
      expect(first).not.toBe(older);
      expect(await page.locator('.skill h1').textContent()).toBe(first);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  });

  it('types real requests by itself, lit on the map, until the first key', async () => {
    const { page } = await tab({ reducedMotion: 'no-preference' });
    const { page: quiet } = await tab({ reducedMotion: 'reduce' });
    await page.goto(url());
    const typed = (tab: Page) => tab.locator('input[type="search"]:not([placeholder^="What do"])');
    await typed(page).waitFor();
    await page.locator('.labels .number').first().waitFor();
    await page.keyboard.press('c');
    await typed(page).waitFor({ state: 'detached' });
    await quiet.goto(url());
    await quiet.locator(SHOWN).first().waitFor();
    await quiet.clock.install();
    await quiet.clock.runFor(20_000);
    expect(await typed(quiet).count()).toBe(0);
  });
});

const SKILL = (name: string, words: string) =>
  `---\nname: ${name}\ndescription: ${words}. Use when somebody asks for ${words.toLowerCase()}.\n---\n# ${name}\n\n${words}.\n`;
const FEW = {
  'acme__repair/bikes': 'Repairs bicycles with flat tyres',
  'acme__repair/cars': 'Repairs cars with broken engines',
  'two/bake/bread': 'Bakes sourdough bread from rye flour',
  'two/bake/cakes': 'Bakes chocolate cakes with cream',
  'two/tax/returns': 'Fills in tax returns for freelancers',
};

describe('a map of few skills', inBrowser, () => {
  let place: Workplace;
  const { open, tab, url } = explored((own) => {
    place = own;
    for (const [path, words] of Object.entries(FEW))
      place.write(`skills/${path}/SKILL.md`, SKILL(path.split('/').at(-1)!, words));
    return serveSkills(place, join(place.folder, 'skills'));
  });

  describe.each(SIZES)('at %s', (size, options) => {
    const isPhone = size === '390 × 844';
    let page: Page;
    let problems: string[];
    const begin = async () => {
      await page.locator(SHOWN).first().waitFor();
      if (isPhone) await page.getByRole('button', { name: 'Open the map' }).click();
    };
    beforeAll(async () => {
      ({ page, problems } = await open({ ...options, reducedMotion: 'reduce' }));
      await begin();
    });
    afterAll(async () => {
      expect(problems).toEqual([]);
      await page.close();
    });
    renewAfterFailure(() => ({ page, problems }), url, begin);

    const labels = () => page.locator(SHOWN).allTextContents();
    const parameter = (name: string) => new URLSearchParams(page.url().split('?')[1]).get(name);

    it('names every skill, beside its point and within the map', async () => {
      await expect
        .poll(async () => (await labels()).sort())
        .toEqual(['bikes', 'bread', 'cakes', 'cars', 'returns']);
      // The map may still move.
      const outside = () =>
        page.evaluate(`(() => {
          const map = document.querySelector('.map').getBoundingClientRect();
          const isInside = ({ left, right, top, bottom }) =>
            left >= ${isPhone ? 0 : 540} - 1 && right <= map.right + 1 && top >= map.top - 1 && bottom <= map.bottom + 1;
          const names = [...document.querySelectorAll(${JSON.stringify(SHOWN)})];
          return names.filter((name) => !isInside(name.getBoundingClientRect())).map((name) => name.textContent);
        })()`);
      await expect.poll(outside).toEqual([]);
      await expectToFit(page);
      await expectAccessible(page);
    });

    it('reaches every skill by keyboard', async () => {
      await page.locator('.pad').focus();
      const reached = new Set<string | null>();
      for (let at = 0; at < 5; at += 1) {
        await page.keyboard.press('n');
        reached.add(await page.locator('.hovered b').textContent());
      }
      expect([...reached].sort()).toEqual(['bikes', 'bread', 'cakes', 'cars', 'returns']);
      const last = await page.locator('.hovered b').textContent();
      await page.keyboard.press('Enter');
      await page.locator('.skill h1', { hasText: last! }).waitFor();
      await page.goBack();
      await page.locator('.skill').waitFor({ state: 'detached' });
    });

    it('lists what is in view when it is magnified, keeps that over a reload, and shows all again', async () => {
      await page.getByRole('button', { name: 'Larger' }).click();
      await expect.poll(() => parameter('at')).not.toBeNull();
      const once = parameter('at');
      await page.getByRole('button', { name: 'Larger' }).click();
      await expect.poll(() => parameter('at')).not.toBe(once);
      await page
        .getByText(/^\d skills?$/)
        .first()
        .waitFor({ state: 'attached' });
      const at = parameter('at');
      await page.reload();
      await page.locator('.pad').waitFor();
      await expect.poll(() => parameter('at')).toBe(at);
      // The strip of a phone may show no point of the magnified part.
      if (isPhone) await page.getByRole('button', { name: 'Open the map' }).click();
      await page.locator(SHOWN).first().waitFor();
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await expect.poll(() => parameter('at')).toBeNull();
    });

    it('is in the browser’s cache when it is opened again, and the server only says that it is the same', async () => {
      await page.reload();
      await begin();
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
      onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }));
      await expect.poll(labels).toContain('songs');
      await page.locator('.catalog', { hasText: '6 skills' }).waitFor();
      rmSync(dirname(path), { recursive: true });
      await expect.poll(labels).not.toContain('songs');
    });
  });

  it('is magnified by two fingers', async () => {
    const { page } = await open({ ...SIZES[1][1], reducedMotion: 'reduce' });
    await page.locator(SHOWN).first().waitFor();
    await page.getByRole('button', { name: 'Open the map' }).click();
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

  it('says so where there are no skills, and counts one as one', async () => {
    const own = workplace();
    own.write('none/README.md', 'Nothing here yet.');
    const empty = untilFinished(await serveSkills(own, join(own.folder, 'none')));
    const { page, problems } = await tab();
    await page.goto(empty.url);
    await page.getByText('There are no skills yet').waitFor();
    own.write('none/one/SKILL.md', SKILL('one', 'Does one thing'));
    await page.locator('.catalog', { hasText: /^1 skill$/ }).waitFor();
    expect(problems).toEqual([]);
  });
});

const TRADES = 'kiln payroll postgres sailing violin bakery orchard tunnel glacier opera harbour'.split(' ');

describe('a map of 330 skills', inBrowser, () => {
  let page: Page;
  const { open } = explored((own) => {
    for (const trade of TRADES)
      for (let number = 0; number < 30; number += 1)
        own.write(
          `skills/shop/${trade}-${number}/SKILL.md`,
          SKILL(
            `${trade}-${number}`,
            `Looks after a ${trade} of size ${number} beside ${TRADES[number % 11]}`,
          ),
        );
    return serveSkills(own, join(own.folder, 'skills'));
  });
  beforeAll(async () => {
    ({ page } = await open({ reducedMotion: 'reduce' }));
    await page.locator(SHOWN).first().waitFor({ timeout: 120_000 });
  }, 180_000);
  afterAll(() => page.close());

  it('writes no name over a point', async () => {
    const names = await page.locator(SHOWN).evaluateAll((labels) => {
      type Box = { x: number; y: number; width: number; height: number };
      const spans = labels as never as {
        textContent: string;
        getBoundingClientRect(): Box;
        closest(of: string): never;
      }[];
      return spans.map((label) => {
        const plane = label.closest('.plane') as { querySelector(of: string): never };
        const canvas = plane.querySelector('canvas') as {
          getBoundingClientRect(): Box;
          getContext(kind: string): { getImageData(...box: number[]): { data: Uint8ClampedArray } };
        };
        const [{ x, y, width, height }, from] = [
          label.getBoundingClientRect(),
          canvas.getBoundingClientRect(),
        ];
        const { data } = canvas.getContext('2d').getImageData(x - from.x, y - from.y, width, height);
        // The ground is dark; a point is not, but for its rim.
        return { name: label.textContent, lit: data.filter((value, at) => at % 4 < 3 && value > 60).length };
      });
    });
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter(({ lit }) => lit > 0)).toEqual([]);
  });

  it('has colours that differ by direction', async () => {
    const means = (await page.locator('.plane canvas').evaluate((element) => {
      const canvas = element as never as {
        width: number;
        height: number;
        getContext(kind: string): { getImageData(...box: number[]): { data: Uint8ClampedArray } };
      };
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const points: { x: number; y: number; colour: number[] }[] = [];
      for (let at = 0; at < data.length; at += 4) {
        const colour = [data[at]!, data[at + 1]!, data[at + 2]!];
        if (Math.max(...colour) > 90)
          points.push({ x: (at / 4) % width, y: Math.floor(at / 4 / width), colour });
      }
      const middle = (side: 'x' | 'y') => points.reduce((sum, point) => sum + point[side], 0) / points.length;
      const [x, y] = [middle('x'), middle('y')];
      const sums = [0, 1, 2, 3].map(() => [0, 0, 0, 0]);
      for (const point of points) {
        const sector = Math.floor(((Math.atan2(point.y - y, point.x - x) + Math.PI) / (2 * Math.PI)) * 4) % 4;
        const most = Math.max(...point.colour);
        point.colour.forEach((value, channel) => {
          sums[sector]![channel]! += value / most;
        });
        sums[sector]![3]! += 1;
      }
      return sums.map((sum) => sum.slice(0, 3).map((value) => value / sum[3]!));
    })) as number[][];
    for (const [at, one] of means.entries())
      for (const other of means.slice(at + 1))
        expect(Math.hypot(...one.map((value, channel) => value - other[channel]!))).toBeGreaterThan(0.15);
  });
});

const GROUPS = ['kiln', 'payroll', 'postgres', 'sailing', 'violin', 'bakery'];

describe('a map of many skills', inBrowser, () => {
  const { open } = explored((own) => {
    for (const [at, subject] of GROUPS.entries())
      for (let number = 0; number < 100; number += 1)
        own.write(
          `skills/shop/${subject}-${number}/SKILL.md`,
          `---\nname: ${subject}-${String.fromCharCode(97 + (number % 26))}${number}\ndescription: ${`${subject} ${subject} `.repeat(3)} number ${number % 7} of ${at}.\n---\n# ${subject}\n\n${subject}.\n`,
        );
    return serveSkills(own, join(own.folder, 'skills'));
  });

  it('names places where their skills are, each once; a place lists its skills, and the counts agree', async () => {
    const { page, problems } = await open({ reducedMotion: 'reduce' });
    await page.locator('.labels .place').first().waitFor();
    const link = page.locator('.places li').first();
    const [, name, number] = /^(\S+) ([\d,]+)$/.exec((await link.textContent())!)!;
    expect(GROUPS).toContain(name);
    await link.getByRole('link').click();
    await page.locator('.verdict', { hasText: `${name} ${number} skills` }).waitFor();
    const others = async () => {
      const names = await page.locator('.hit-name').allTextContents();
      return names.length === 0 || names.filter((text) => !text.startsWith(name!));
    };
    await expect.poll(others).toEqual([]);
    await expectAccessible(page);
    // The same by a click on the map.
    await page.getByRole('link', { name: 'All', exact: true }).click();
    const label = page.locator('.labels .place:visible').first();
    const click = async () => {
      const spot = await label.boundingBox();
      if (spot !== null) await page.mouse.click(spot.x + spot.width / 2, spot.y + spot.height / 2);
      return new URLSearchParams(page.url().split('?')[1]).get('place');
    };
    // The map may still move.
    await expect.poll(click).toSatisfy((place) => GROUPS.includes(place));
    expect(problems).toEqual([]);
    await page.close();
  });

  it('is still a map three steps nearer: points, places and names of skills', async () => {
    const { page } = await open({ reducedMotion: 'reduce' });
    await page.locator('.labels .place').first().waitFor();
    for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Larger' }).click();
    await expect.poll(() => page.locator('.labels .name:visible').count()).toBeGreaterThan(3);
    await screenshot(page, 'explore-near');
    await page.close();
  });
});
