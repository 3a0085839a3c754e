/** Promise: an agent over stdio finds the right skill by intent, loads it, and reads the right lines, in both eras. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { examples, freshWorkplace, prepareIndex, skillFile } from './command.ts';

const place = freshWorkplace();
let client: Client;

type Mode = 'legacy' | { pin: string };

async function connect(skills: string, mode: Mode): Promise<Client> {
  const index = join(place.folder, 'index');
  await prepareIndex(skills, index);
  client = await connected(place.server('--skills', skills, '--index', index), { mode });
  // After this the client validates every structured answer against the tool's schema.
  await client.listTools();
  return client;
}

async function call<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError === true) throw new Error(JSON.stringify(result.structuredContent));
  // The client has validated it against the tool's schema.
  return result.structuredContent as T;
}

interface Search {
  readonly hits: readonly {
    readonly id: string;
  }[];
  readonly weak: boolean;
}
interface Load {
  readonly instructions: string;
  readonly references: readonly string[];
  readonly start_reading_at: readonly string[];
}

describe.each<Mode>(['legacy', { pin: '2026-07-28' }])('an agent whose client negotiates %j', (mode) => {
  it('searches, loads and reads in the example skills', async () => {
    await connect(examples, mode);
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([
      'list_skills',
      'load_skill',
      'read_reference',
      'search_skills',
    ]);
    const query = 'Microsoft returns 550 5.7.515 to our bulk mails although SPF passes';
    const { hits } = await call<Search>('search_skills', { query });
    expect(hits[0]?.id).toBe('email-deliverability');
    const loaded = await call<Load>('load_skill', { skill: hits[0]!.id, query });
    expect(loaded.instructions).toMatch(/^# E-mail deliverability/);
    expect(loaded.instructions).not.toContain('description:');
    expect(loaded.references).toContain('references/bounce-codes.md');
    const start = loaded.start_reading_at.find((at) => at.startsWith('references/bounce-codes.md:'));
    const [path, lines] = (start ?? 'references/bounce-codes.md:20-30').split(' ')[0]!.split(':');
    const result = await client.callTool({
      name: 'read_reference',
      arguments: { skill: hits[0]!.id, path, lines },
    });
    expect(JSON.stringify(result.content)).toContain('5.7.515');
  });

  it('sees a new, a changed and a removed skill without a restart', async () => {
    place.write('skills/pdf-forms/SKILL.md', skillFile('pdf-forms', 'Fill in PDF forms.'));
    await connect(join(place.folder, 'skills'), mode);
    const best = async (query: string) => (await call<Search>('search_skills', { query })).hits[0]?.id;
    expect(await best('fill in a form')).toBe('pdf-forms');
    place.write('skills/kiln/SKILL.md', skillFile('kiln', 'Fire stoneware in an electric kiln.'));
    await expect.poll(() => best('firing pottery in an electric kiln')).toBe('kiln');
    place.write('skills/pdf-forms/SKILL.md', skillFile('pdf-forms', 'Repair a bicycle wheel.'));
    await expect.poll(() => best('bicycle wheel out of true')).toBe('pdf-forms');
    rmSync(join(place.folder, 'skills/kiln'), { recursive: true });
    await expect.poll(() => best('firing pottery in an electric kiln')).not.toBe('kiln');
    place.write('skills/loom/SKILL.md', skillFile('loom', 'Warp a floor loom.'));
    expect((await call<Load>('load_skill', { skill: 'loom' })).instructions).toMatch(/loom/i);
  });

  it('answers without an error on an empty folder', async () => {
    mkdirSync(join(place.folder, 'empty'));
    await connect(join(place.folder, 'empty'), mode);
    expect((await call<Search>('search_skills', { query: 'anything' })).hits).toEqual([]);
  });
});
