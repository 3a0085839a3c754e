/** The registry of Agentic Resource Discovery over HTTP: tokens, policy, limits and the audit log hold as they do for MCP. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsThat } from '../needs.ts';
import { skillFile, type Workplace, workplace } from './command.ts';
import { commandsOf } from './documents.ts';
import { type HttpServer, newToken, serveHttp } from './http-server.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const MANIFEST = '/.well-known/ai-catalog.json';
const SOURCES = ['open', 'closed'].map((name) => ({ kind: 'local', name, root: name }));

let place: Workplace;
let server: HttpServer;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  place = workplace();
  place.write(
    'open/pdf/SKILL.md',
    skillFile('pdf', 'Fill in PDF forms', 'See [fields](references/fields.md).\n'),
  );
  place.write('open/pdf/references/fields.md', 'Fields.\n');
  place.write('open/pdf/evals/evals.json', '["tick the boxes of an application", "sign a contract"]');
  place.write('open/pdf/assets/page.html', '<script>alert(1)</script>');
  place.write('closed/merger/SKILL.md', skillFile('merger', 'Plan the merger, with PDF forms'));
  place.write(
    'skillgate.config.json',
    JSON.stringify({
      sources: SOURCES,
      auth: { tokens: 'tokens.json' },
      policy: {
        rules: [
          { who: ['finder'], allow: [{ sources: ['open'] }] },
          { who: ['slow'], allow: [{}], callsPerMinute: 2 },
        ],
      },
      telemetry: { audit: 'audit.jsonl' },
      ard: { publisher: 'example.com', displayName: 'Example' },
    }),
  );
  for (const name of ['finder', 'slow']) tokens[name] = await newToken(place, name);
  server = await serveHttp(place, null);
}, 120_000);
afterAll(() => server?.end());

const at = (path: string) => new URL(path, server.url).href;
const as = (name: string) => ({ authorization: `Bearer ${tokens[name]}` });
const search = (name: string, text: string) =>
  fetch(at('/ard/api/search'), {
    method: 'POST',
    headers: { ...as(name), 'content-type': 'application/json' },
    body: JSON.stringify({ query: { text } }),
  });

describe('a registry over HTTP', () => {
  it('is found by its manifest, which names no skill', async () => {
    const answer = await fetch(at(MANIFEST));
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      specVersion: '1.0',
      host: { displayName: 'Example' },
      entries: [
        {
          identifier: 'urn:air:example.com:registry:skillgate',
          displayName: 'Agent skills of Example',
          type: 'application/ai-registry+json',
          url: at('/ard/api/search'),
        },
      ],
    });
  });

  it('answers a token with what its principal may see, and with files that its URLs lead to', async () => {
    const { results } = (await (await search('finder', 'fill in a PDF form')).json()) as {
      results: { url: string; displayName: string; source: string; representativeQueries: string[] }[];
    };
    expect(results.map(({ displayName }) => displayName)).toEqual(['pdf']);
    expect(results[0]!.representativeQueries).toEqual([
      'tick the boxes of an application',
      'sign a contract',
    ]);
    expect(results[0]!.source).toBe(at('/ard/api'));
    const { url } = results[0]!;
    const file = await fetch(url, { headers: as('finder') });
    expect(await file.text()).toBe(readFileSync(join(place.folder, 'open/pdf/SKILL.md'), 'utf8'));
    const reference = await fetch(new URL('references/fields.md', url), { headers: as('finder') });
    expect(await reference.text()).toBe('Fields.\n');
    const list = await fetch(
      at(`/ard/api/agents?${new URLSearchParams({ filter: "type = 'application/ai-skill'" })}`),
      {
        headers: as('finder'),
      },
    );
    expect(await list.json()).toMatchObject({ total: 1, items: [{ displayName: 'pdf' }] });
    const hidden = await fetch(at('/ard/api/skills/closed/merger/SKILL.md'), { headers: as('finder') });
    expect([hidden.status, await hidden.json()]).toMatchObject([404, { errorCode: 'NOT_FOUND' }]);
  });

  it('answers the commands of docs/ard.md', needsThat(hasCurl, 'curl'), async () => {
    const commands = commandsOf('docs/ard.md').filter((command) => command.startsWith('curl '));
    const said: string[] = [];
    for (const command of commands) {
      const here = command.replaceAll('http://127.0.0.1:3000', new URL(server.url).origin);
      const { code, stdout } = await place.shell(`TOKEN=${tokens.finder}; ${here}`);
      expect({ command, code }).toEqual({ command, code: 0 });
      said.push(stdout);
    }
    expect(said.map((text) => Object.keys(JSON.parse(text))[0])).toEqual(['specVersion', 'results', 'items']);
  });

  it('lets a browser run nothing of a skill', async () => {
    const answer = await fetch(at('/ard/api/skills/open/pdf/assets/page.html'), { headers: as('finder') });
    expect(await answer.text()).toContain('<script>');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['without a token', {}],
    ['with a wrong token', { authorization: 'Bearer sg_wrong' }],
  ])('refuses a request %s, in the form of its errors', async (_, headers: Record<string, string>) => {
    for (const [path, method] of [
      ['search', 'POST'],
      ['agents', 'GET'],
      ['skills/open/pdf/SKILL.md', 'GET'],
    ] as const) {
      const answer = await fetch(at(`/ard/api/${path}`), { method, headers });
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect([answer.status, await answer.json()]).toEqual([
        401,
        { errorCode: 'UNAUTHENTICATED', message: expect.stringMatching(/.{10}/) },
      ]);
    }
  });

  it('counts calls within the limits of the principal', async () => {
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await search('slow', 'merger')).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await search('slow', 'merger');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ errorCode: 'RESOURCE_EXHAUSTED' });
  });

  it.each([
    ['a body that is no JSON', 'POST', 'search', '{', 400, 'INVALID_ARGUMENT'],
    ['another path', 'GET', 'none', undefined, 404, 'NOT_FOUND'],
    ['another method', 'DELETE', 'search', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['facets', 'POST', 'explore', '{"resultType": {"facets": [{"field": "type"}]}}', 501, 'UNIMPLEMENTED'],
  ])('refuses %s', async (_, method, path, body, status, errorCode) => {
    const answer = await fetch(at(`/ard/api/${path}`), {
      method,
      headers: as('finder'),
      ...(body && { body }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      status,
      { errorCode, message: expect.any(String) },
    ]);
  });

  it('records each call in the audit log, with who made it', async () => {
    const lines = () =>
      readFileSync(join(place.folder, 'audit.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    await search('finder', 'an unmistakable request');
    await expect
      .poll(() => lines().filter((line) => JSON.stringify(line).includes('unmistakable')))
      .toMatchObject([{ who: 'finder' }]);
  });
});
