/** Promise: a person reads a skill on the page, sees what skillgate knows of it, and gets there from every id. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
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
  search,
  serveSkills,
} from './browser.ts';

/** One red pixel. */
const RED = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

const HOSTILE = `---
name: hostile
description: "Cleans a messy csv file \u202Egnp.exe, and attacks the page that shows it."
---
# <img src=x onerror="document.title='owned'">

<script>document.title = 'owned'</script>

[web](https://example.org/a) [script](javascript:alert(1)) [data](data:text/html,hi) [notes](notes.md) [out](../../etc/passwd)

![a picture](https://example.org/pixel.png)

### Far too deep

1. one
2. two ${'very-long-word-'.repeat(30)}

| a | b |
|---|---|
| 1 | 2 |

\`\`\`sh
echo lit
echo too
\`\`\`
`;

/** As long as a name may be, and wider than a phone. */
const WIDE = 'w'.repeat(64);

describe('a skill', inBrowser, () => {
  const { url, open } = explored((place) => {
    place.write('skills/team/tables/hostile/SKILL.md', HOSTILE);
    const body = Array.from({ length: 5_000 }, (_, at) => `- line ${at}`).join('\n');
    place.write(
      'skills/team/tables/long/SKILL.md',
      `---\nname: long\ndescription: Is long. Use when a file is long.\n---\n${body}\n`,
    );
    for (let at = 0; at < 40; at += 1)
      place.write(`skills/team/tables/long/references/part-${at}.md`, `# ${at}\n`);
    place.write('skills/team/tables/long/line.txt', 'word '.repeat(80_000));
    writeFileSync(join(place.folder, 'skills/team/tables/long/red.png'), Buffer.from(RED, 'base64'));
    place.write('skills/team/tables/hostile/notes.md', '# Notes\n\nMore on messy csv files.\n');
    place.write('skills/team/tables/hostile/scripts/run.sh', 'echo first\necho second\n');
    place.write(
      'skills/team/tables/csv-tidy/SKILL.md',
      '---\nname: csv-tidy\ndescription: Tidies a csv file. Use when a table is messy.\n---\n# Tidy\n\nRead [this](missing.md) first.\n',
    );
    place.write(
      `skills/acme__repair/${WIDE}/SKILL.md`,
      `---\nname: ${WIDE}\ndescription: Glues broken plates. Use when porcelain is broken.\n---\n# Glue\n\nGlue it.\n`,
    );
    const audit = join(place.folder, 'audit.jsonl');
    return serveSkills(place, join(place.folder, 'skills'), undefined, '--set', `telemetry.audit=${audit}`);
  });

  describe.each(SIZES)('at %s', (size, options) => {
    let page: Page;
    let problems: string[];
    let requests: string[];
    beforeAll(async () => {
      ({ page, problems, requests } = await open(options));
    });
    afterAll(() => page.close());
    renewAfterFailure(() => ({ page, problems }), url);

    it('opens from its hit, with its text, its files and what skillgate knows', async () => {
      await search(page, 'tidy a messy csv table');
      await page.locator('.hit-name').first().click();
      await page.getByRole('heading', { level: 1, name: 'csv-tidy' }).waitFor();
      await page.getByRole('heading', { level: 2, name: 'Tidy' }).waitFor();
      await page.getByText(/tokens in a list, \d+ when loaded/).waitFor();
      await page.locator('aside').getByRole('link', { name: 'team/tables/hostile' }).first().waitFor();
      expect(await page.getByRole('link', { name: 'Open in editor' }).getAttribute('href')).toMatch(
        /^vscode:\/\/file\/.*\/csv-tidy\/SKILL\.md$/,
      );
      await page.locator('.skill').getByRole('link', { name: 'Improve' }).click();
      await page.getByLabel(/^Description/).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'csv-tidy' }).waitFor();
      await expectAccessible(page);
      await expectToFit(page);
    });

    it('renders what others wrote without running or fetching any of it', async () => {
      await goTo(page, '#/skill/team/tables/hostile');
      await page.getByRole('heading', { level: 1, name: 'hostile' }).waitFor();
      const text = page.locator('.text');
      await text.getByText("<script>document.title = 'owned'</script>").waitFor();
      await page.locator('.skill').getByText('⟨U+202E⟩gnp.exe').first().waitFor();
      const links = await text
        .locator('a')
        .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
      expect(links).toEqual(['https://example.org/a', '#/skill/team/tables/hostile?file=notes.md']);
      expect(await page.locator('img, script:not([src])').count()).toBe(0);
      expect(await page.title()).toBe('hostile · skillgate');
      await expectToFit(page);
      await expectAccessible(page);
      const { origin } = new URL(url());
      expect(requests.filter((url) => new URL(url).origin !== origin)).toEqual([]);
      expect(problems).toEqual([]);
    });

    it('lights the lines of the evidence, in a page and in code', async () => {
      await goTo(page, '#/skill/team/tables/hostile?lines=20-20');
      await expect.poll(() => page.locator('.lit').allTextContents()).toEqual(['12']);
      await goTo(page, '#/skill/team/tables/hostile?lines=23-23');
      await expect.poll(() => page.locator('.lit').allTextContents()).toEqual(['echo lit\n']);
      await goTo(page, '#/skill/team/tables/hostile?file=scripts/run.sh&lines=2-2');
      await expect.poll(() => page.locator('.lit').allTextContents()).toEqual(['echo second\n']);
      expect(await page.locator('.lit').getAttribute('data-line')).toBe('2');
    });

    it('says where the lit lines are, keeps them in sight as text, and keeps its head while it scrolls', async () => {
      await goTo(page, '#/skill/team/tables/long?lines=4000-4010');
      const lit = page.locator('.lit').first();
      await lit.waitFor();
      const isSeen = () =>
        lit.evaluate((line) => {
          const { top, bottom } = line.getBoundingClientRect();
          return top > 0 && bottom < (globalThis as never as { innerHeight: number }).innerHeight;
        });
      await expect.poll(isSeen).toBe(true);
      await page.getByRole('link', { name: 'Show as text' }).click();
      await expect.poll(() => page.locator('.lit').count()).toBe(11);
      await expect.poll(isSeen).toBe(true);
      for (const part of [
        page.getByRole('heading', { level: 1, name: 'long' }),
        page.getByText('SKILL.md:4000–4010'),
        page.getByLabel('Back to the list'),
      ])
        expect((await part.boundingBox())!.y).toBeGreaterThan(0);
      expect(await page.locator('.lit').first().getAttribute('data-line')).toBe('4000');
    });

    it('shows 40 files as folders, its pictures, and a line of 400 kB', async () => {
      await goTo(page, '#/skill/team/tables/long');
      await page.locator('.files summary', { hasText: 'references/' }).click();
      await expect.poll(() => page.locator('.files a:visible').count()).toBe(43);
      await goTo(page, '#/skill/team/tables/long?file=red.png');
      const red = () =>
        page.locator('canvas.picture').evaluate((canvas) =>
          (
            canvas as never as {
              getContext(kind: string): { getImageData(...box: number[]): { data: Uint8ClampedArray } };
            }
          )
            .getContext('2d')
            .getImageData(0, 0, 1, 1)
            .data.join(),
        );
      await expect.poll(red).toBe('255,0,0,255');
      await goTo(page, '#/skill/team/tables/long?file=line.txt');
      await expect
        .poll(async () => (await page.locator('.text').textContent())?.length ?? 0)
        .toBeGreaterThan(10_000);
      await page.getByText('The file goes on').waitFor();
      await expectToFit(page);
    });

    it('follows a link between its files, and says so where there is no such skill or file', async () => {
      await goTo(page, '#/skill/team/tables/hostile');
      await page.locator('.text').getByRole('link', { name: 'notes' }).click();
      await page.locator('.skill').getByText('More on messy csv files.').waitFor();
      await goTo(page, '#/skill/team/tables/hostile?file=gone.md');
      await page.getByRole('alert').filter({ hasText: 'gone.md' }).waitFor();
      await goTo(page, '#/skill/nobody');
      await page.getByRole('alert').filter({ hasText: 'There is no skill "nobody"' }).waitFor();
      problems.length = 0;
    });

    it('says from which repository it is, and keeps a name without spaces within its list and its head', async () => {
      await goTo(page, '#/explore?q=glue+a+broken+porcelain+plate');
      const hit = page.locator('.hit', { hasText: WIDE });
      await hit.waitFor();
      expect(await hit.locator('.origin').textContent()).toBe('acme/repair');
      const isWithin = (inner: Locator, outer: Locator) =>
        Promise.all([inner.boundingBox(), outer.boundingBox()]).then(
          ([a, b]) => a!.x + a!.width <= b!.x + b!.width + 1,
        );
      expect(await isWithin(hit.locator('.hit-name'), page.locator('.list'))).toBe(true);
      await hit.locator('.hit-name').click();
      const head = page.getByRole('heading', { level: 1, name: WIDE });
      await head.waitFor();
      expect(await isWithin(head, page.locator('.skill'))).toBe(true);
      await expectToFit(page);
    });

    it('gives its remarks, with a link to the place', async () => {
      await goTo(page, '#/skill/team/tables/csv-tidy');
      await page.getByRole('heading', { level: 1, name: 'csv-tidy' }).waitFor();
      await page.locator('aside .found a').first().click();
      await page.locator('.lit').first().waitFor();
      if (size === '1440 × 900') await screenshot(page, 'explore-skill');
    });
  });
});
