/** Promise: a person reads a skill on the page, sees what skillgate knows of it, and gets there from every id. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectToFit,
  explored,
  goTo,
  hasBrowser,
  SIZES,
  screenshot,
  serveSkills,
} from './browser.ts';

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

describe.skipIf(!hasBrowser)('a skill', () => {
  const { url, open } = explored((place) => {
    place.write('skills/team/tables/hostile/SKILL.md', HOSTILE);
    place.write('skills/team/tables/hostile/notes.md', '# Notes\n\nMore on messy csv files.\n');
    place.write('skills/team/tables/hostile/scripts/run.sh', 'echo first\necho second\n');
    place.write(
      'skills/team/tables/csv-tidy/SKILL.md',
      '---\nname: csv-tidy\ndescription: Tidies a csv file. Use when a table is messy.\n---\n# Tidy\n\nRead [this](missing.md) first.\n',
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

    it('opens from its hit, with its text, its files and what skillgate knows', async () => {
      await page.getByRole('searchbox').fill('tidy a messy csv table');
      await page.locator('.hit .id').first().click();
      await page.getByRole('heading', { level: 1, name: 'csv-tidy' }).waitFor();
      await page.getByRole('heading', { level: 2, name: 'Tidy' }).waitFor();
      await page.getByText(/tokens in a list, \d+ when loaded/).waitFor();
      await page.getByText(/found \d+ ×, loaded 0 ×/).waitFor();
      await page.locator('aside').getByRole('link', { name: 'team/tables/hostile' }).waitFor();
      expect(await page.getByRole('link', { name: 'Open in editor' }).getAttribute('href')).toMatch(
        /^vscode:\/\/file\/.*\/csv-tidy\/SKILL\.md$/,
      );
      await page.getByRole('link', { name: 'Try in Why' }).click();
      expect(await page.getByLabel('Skill, by id or name').inputValue()).toBe('team/tables/csv-tidy');
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
      await page.getByText('⟨U+202E⟩gnp.exe').first().waitFor();
      const links = await text
        .locator('a')
        .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
      expect(links).toEqual(['https://example.org/a', '#/skill/team/tables/hostile?file=notes.md']);
      expect(await text.locator('img, script').count()).toBe(0);
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

    it('follows a link between its files, and says so where there is no such skill or file', async () => {
      await goTo(page, '#/skill/team/tables/hostile');
      await page.locator('.text').getByRole('link', { name: 'notes' }).click();
      await page.getByText('More on messy csv files.').waitFor();
      await goTo(page, '#/skill/team/tables/hostile?file=gone.md');
      await page.getByRole('alert').filter({ hasText: 'gone.md' }).waitFor();
      await goTo(page, '#/skill/nobody');
      await page.getByRole('alert').filter({ hasText: 'There is no skill "nobody"' }).waitFor();
      problems.length = 0;
    });

    it('gives its remarks, with a link to the place', async () => {
      await goTo(page, '#/skill/team/tables/csv-tidy');
      await page.locator('aside .found a').first().click();
      await page.locator('.lit').first().waitFor();
      if (size === '1440 × 900') await screenshot(page, 'explore-skill');
    });
  });
});
