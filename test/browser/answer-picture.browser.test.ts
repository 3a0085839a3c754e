/** Promise: README's moving picture, from a question to the answer, shows what the tools return today. */

import { resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { connected } from '../acceptance/client.ts';
import { examples, root, workplace } from '../acceptance/command.ts';
import { CHROMIUM, inBrowser } from './browser.ts';

const { SKILLGATE_SCREENSHOTS: FOLDER } = process.env;
/** How long letters, a step, and the end are shown, ms. */
const [LETTERS_MS, STEP_MS, END_MS] = [120, 1_800, 4_000];
const LETTERS = 8;

const QUESTION = 'Microsoft returns 550 5.7.515 to our bulk mails although SPF passes. What is missing?';
const SKILL = 'email-deliverability';
/** The only words that no program makes. */
const ANSWER =
  'Since May 2025 bulk mail also needs DKIM, and DMARC that is aligned. Publish DMARC with p=none first.';

/** A line of the conversation. */
interface Line {
  readonly kind: 'you' | 'call' | 'result' | 'agent';
  readonly text: string;
}

describe('README’s moving picture', inBrowser, () => {
  const place = workplace();

  it('shows a search, a load and the lines that answer', { timeout: 120_000 }, async () => {
    const lines = await conversation();
    const text = lines.map((line) => line.text).join('\n');
    expect(text).toMatch(/^A skill fits \(0\.\d+\)\.$/m);
    expect(text).toMatch(new RegExp(`^- ${SKILL}: `, 'm'));
    expect(text).toMatch(/SPF pass, DKIM pass, DMARC at least p=none and aligned; otherwise 550 5\.7\.515/);
    if (FOLDER === undefined) return;
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage({ viewport: { width: 560, height: 470 }, deviceScaleFactor: 1.5 });
      await page.setContent(PAGE);
      const frames = await framesOf(page, lines);
      await sharp(
        frames.map(({ picture }) => picture),
        { join: { animated: true } },
      )
        .webp({ quality: 60, effort: 6, loop: 0, delay: frames.map(({ ms }) => ms) })
        .toFile(resolve(root, FOLDER, 'answer.webp'));
    } finally {
      await browser.close();
    }
  });

  /** What an agent asks the built program, and the lines of its answers that fit. */
  async function conversation(): Promise<readonly Line[]> {
    await place.run('index', '--skills', examples);
    const client = await connected(place.server('--skills', examples));
    const call = async (name: string, args: Record<string, string>, show: (text: string) => string[]) => {
      const { content } = await client.callTool({ name, arguments: args });
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      const shown = Object.values(args).map((value) => JSON.stringify(value));
      return [
        { kind: 'call' as const, text: `${name}(${shown.join(', ')})` },
        ...show(text).map((line) => ({ kind: 'result' as const, text: line })),
      ];
    };
    try {
      const found = await call('search_skills', { query: QUESTION }, (text) =>
        text
          .split('\n')
          .filter((line) => /^(?:A skill|- )/.test(line))
          .slice(0, 2),
      );
      const [, path = '', lines = ''] = /\[(references\/\S+):(\d+-\d+)\]/.exec(found[2]!.text) ?? [];
      const loaded = await call('load_skill', { skill: SKILL }, (text) =>
        text.split('\n').filter((line) => /^(?:references|Instructions|# )/.test(line)),
      );
      const read = await call('read_reference', { skill: SKILL, path, lines }, (text) =>
        text.split('\n').filter((line) => line.includes('550')),
      );
      return [
        { kind: 'you', text: QUESTION },
        ...found,
        ...loaded.slice(0, 4),
        ...read,
        { kind: 'agent', text: ANSWER },
      ];
    } finally {
      await client.close();
    }
  }
});

const PAGE = `<style>
  body { margin: 0; padding: 14px 16px; background: #0d1117; color: #e6edf3; font: 14px/20px ui-monospace, monospace; }
  p { margin: 0 0 2px; }
  .you, .agent { margin: 8px 0; padding: 6px 10px; border-radius: 8px; font: 15px/21px system-ui, sans-serif; }
  .you { background: #1f6feb; }
  .agent { background: #238636; }
  .call { margin-top: 8px; color: #79c0ff; }
  .result { color: #9da7b3; }
  .call, .result { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
</style>`;

/** The question letter by letter, then line by line. */
async function framesOf(page: Page, [question, ...lines]: readonly Line[]) {
  const frames: { readonly picture: Buffer; readonly ms: number }[] = [];
  const write = (line: Line, isNew: boolean) =>
    page.evaluate(
      `((kind, text, isNew) => {
        const line = isNew ? document.body.appendChild(document.createElement('p')) : document.body.lastElementChild;
        line.className = kind;
        line.textContent = text;
      })(${JSON.stringify(line.kind)}, ${JSON.stringify(line.text)}, ${isNew})`,
    );
  const shoot = async (ms: number) => frames.push({ picture: await page.screenshot(), ms });
  for (let end = LETTERS; end < question!.text.length + LETTERS; end += LETTERS) {
    await write({ ...question!, text: question!.text.slice(0, end) }, end === LETTERS);
    await shoot(LETTERS_MS);
  }
  for (const [at, line] of lines.entries()) {
    await write(line, true);
    // The lines of one answer appear together.
    if (lines[at + 1]?.kind !== 'result') await shoot(at === lines.length - 1 ? END_MS : STEP_MS);
  }
  return frames;
}
