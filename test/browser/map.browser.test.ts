/** Promise: a person sees the whole catalog at once, finds regions by their names, and takes a list of skills out of it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

describe.skipIf(!hasBrowser)('Map', () => {
  let place: Workplace;
  let served: ServedPage;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    place = workplace();
    const audit = join(place.folder, 'audit.jsonl');
    [served, browser] = await Promise.all([
      serveExplore(place, '--set', `telemetry.audit=${audit}`),
      launch(),
    ]);
    ({ page, problems } = await openPage(browser));
    await page.goto(served.url);
    // What is found here is in the log, which colours the map by use.
    await page.getByRole('searchbox').fill('clean a messy csv');
    await page.locator('.hit').first().waitFor();
    await vi.waitFor(() => expect(readFileSync(audit, 'utf8')).toContain('messy csv'), 30_000);
    await page.getByRole('link', { name: 'Map' }).click();
    // Once for each generation; a large catalog takes minutes on a slow machine.
    await page.locator('.plane canvas').waitFor({ timeout: 600_000 });
    await page.locator('.labels span[style*="visible"]').first().waitFor();
  }, 660_000);
  afterAll(async () => {
    await browser?.close();
    await served?.end();
    place.remove();
  });

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
    const labels = await page.locator('.labels span').allTextContents();
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

  it('finds by name, moves by keyboard, and shows sources', async () => {
    await page.getByLabel('Find by name').fill('csv');
    await page.getByRole('heading', { name: /\d skills?$/ }).waitFor();
    expect((await page.locator('.map-side .id').allTextContents()).every((id) => /csv/i.test(id))).toBe(true);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('radio', { name: 'Source' }).check();
    await page.locator('.legend-label').first().waitFor();
    const before = await page.locator('.labels span').first().getAttribute('style');
    await page.locator('.plane canvas').focus();
    await page.keyboard.press('+');
    await expect.poll(() => page.locator('.labels span').first().getAttribute('style')).not.toBe(before);
    await page.keyboard.press('0');
    await page.getByRole('radio', { name: 'Theme' }).check();
    await expectAccessible(page);
  });
});
