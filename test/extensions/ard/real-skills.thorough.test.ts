/** Real skills through the registry, page by page: each answer has the form of the published schemas. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Registry } from '../../../extensions/ard/registry.ts';
import { ardSchema } from '../../../src/app/config/sections/ard.ts';
import { needsThat } from '../../needs.ts';
import { testLibrary } from '../../src/gateway/test-library.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { openSchemas, schemasAreHere, sharedData } from './schemas.ts';

const BASE = 'https://skills.example.com/ard/api';
/** Some 1,300 skills of all repositories. */
const SKILLS = 'catalog/*/*/[a-c]*/SKILL.md';
const QUERIES = 40;

const archive = join(sharedData, 'catalog.tar.xz');
const isHere = schemasAreHere && existsSync(archive) && spawnSync('xz', ['--version']).status === 0;

it('answers about 1,000 real skills have the form of the published schemas', {
  ...needsThat(isHere, 'the shared catalog and xz'),
  timeout: 900_000,
}, async () => {
  const folder = temporaryFolder();
  const names = execFileSync('tar', ['-xJvf', archive, '-C', folder, '--wildcards', SKILLS], {
    encoding: 'utf8',
  });
  expect(names.trim().split('\n').length).toBeGreaterThan(1_000);
  const { gateway, library } = testLibrary(join(folder, 'catalog'), { patienceMs: 0 });
  await library.update();
  const registry = new Registry({ config: ardSchema.parse({ publisher: 'example.com' }), log: () => {} });
  const faults = openSchemas();
  const open = async () => ({ gateway, library });
  const ask = async (path: 'search' | 'agents', request: object) => {
    const reply = await registry.answer(path, request, open, BASE);
    expect(reply.status).toBe(200);
    const body = JSON.parse(JSON.stringify('body' in reply ? reply.body : null));
    expect(faults(path === 'search' ? 'SearchResponse' : 'ListResponse', body)).toBe('');
    return body;
  };

  const identifiers: string[] = [];
  const urls: string[] = [];
  for (let pageToken: string | undefined; ; ) {
    const page = await ask('agents', { pageSize: '100', ...(pageToken !== undefined && { pageToken }) });
    identifiers.push(...page.items.map(({ identifier }: { identifier: string }) => identifier));
    urls.push(...page.items.map(({ url }: { url: string }) => url));
    pageToken = page.pageToken;
    if (pageToken !== undefined) continue;
    expect(identifiers.length).toBe(page.total);
    break;
  }
  expect(identifiers.length).toBeGreaterThan(1_000);
  expect(new Set(identifiers).size).toBe(identifiers.length);
  for (const url of urls.filter((_, at) => at % 50 === 0)) {
    const reply = await registry.answer(url.slice(BASE.length + 1), {}, open, BASE);
    expect([url, reply.status]).toEqual([url, 200]);
  }

  const lines = readFileSync(join(sharedData, 'dev/queries.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines.slice(0, QUERIES)) {
    const { results } = await ask('search', { query: { text: JSON.parse(line).text } });
    expect(results.length).toBe(10);
  }
});
