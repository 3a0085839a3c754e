/** Promise: the pictures of the documents are made from the page as it is, with every glyph that they need. */

import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { root } from '../acceptance/command.ts';
import { explored, inBrowser, screenshot } from './browser.ts';

const { SKILLGATE_SCREENSHOTS: FOLDER } = process.env;
const VIEWPORT = { width: 1200, height: 720 };
/** How long a picture with hits, and one of letters, is shown, ms. */
const HITS_MS = 2_400;
const LETTERS_MS = 180;

/** Whether two signs look alike: what a font lacks looks like a sign that no font has. */
const LOOK_ALIKE = `((a, b) => {
  const drawn = (sign) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 40;
    const context = canvas.getContext('2d');
    context.font = '30px sans-serif';
    context.fillText(sign, 4, 32);
    return canvas.toDataURL();
  };
  return drawn(a) === drawn(b);
})`;

describe('the pictures of the documents', inBrowser, () => {
  const { tab, url } = explored();

  it('show no missing glyph', async () => {
    const { page } = await tab();
    await page.goto(url());
    for (const sign of '研究한の')
      expect(await page.evaluate(`${LOOK_ALIKE}('${sign}', '\\u{10FFFE}')`), sign).toBe(false);
  });

  it('move: requests are typed, and their hits light up', { timeout: 1_860_000 }, async () => {
    const { page } = await tab({ viewport: VIEWPORT, reducedMotion: 'no-preference' });
    await page.goto(url());
    await expectIndexed(page);
    const frames = await framesOf(page);
    expect(frames.filter(({ ms }) => ms === HITS_MS).length).toBeGreaterThanOrEqual(2);
    if (FOLDER === undefined) return;
    await sharp(
      frames.map(({ picture }) => picture),
      { join: { animated: true } },
    )
      .webp({ quality: 70, effort: 6, loop: 0, delay: frames.map(({ ms }) => ms) })
      .toFile(resolve(root, FOLDER, 'explore.webp'));
  });

  it('show the map three steps nearer', { timeout: 1_860_000 }, async () => {
    const { page } = await tab({ viewport: VIEWPORT, reducedMotion: 'reduce' });
    await page.goto(url());
    await expectIndexed(page);
    await page.locator('.labels span').first().waitFor({ timeout: 1_800_000 });
    for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Larger' }).click();
    // How many names there is room for depends on the catalog; `explore.browser.test.ts` says when there are several.
    await page.locator('.labels span:visible').first().waitFor();
    await page.getByText('In view').waitFor();
    await page.locator('.hit').first().waitFor();
    await screenshot(page, 'explore-near');
  });
});

/** The folders are checked, so that the head of the page says no more than the number of skills. */
const expectIndexed = (page: Page) =>
  page.locator('.catalog', { hasText: /skills$/ }).waitFor({ timeout: 1_800_000 });

/** One picture for every few letters, and one for each request with its hits. */
async function framesOf(page: Page): Promise<readonly { readonly picture: Buffer; readonly ms: number }[]> {
  const frames: { picture: Buffer; ms: number }[] = [];
  const seen = new Set<string>();
  const box = page.getByRole('searchbox');
  // Time goes on between two pictures alone, however long one takes.
  await page.clock.install({ time: new Date('2026-01-01') });
  await page.reload();
  await page.clock.pauseAt(new Date('2026-01-02'));
  while ((await page.locator('.labels span').count()) === 0) await page.clock.runFor(100);
  for (;;) {
    await page.clock.runFor(100);
    const text = (await box.getAttribute('placeholder')) ?? '';
    const hits = await page.locator('.labels .number:visible').count();
    const isOver = text.startsWith('What do') && frames.some(({ ms }) => ms === HITS_MS);
    if (isOver && hits === 0) return frames;
    const state = `${text.slice(0, 4 * Math.ceil(text.length / 4))} ${hits > 0}`;
    if (seen.has(state)) continue;
    seen.add(state);
    frames.push({ picture: await page.screenshot(), ms: hits > 0 ? HITS_MS : LETTERS_MS });
  }
}
