/** Errors that a wrong path or setting causes: each names what is wrong, and a way out that exists. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshWorkplace } from '../acceptance/command.ts';
import { listening } from '../src/serve/stdio/ask.ts';

const place = freshWorkplace();

const at = (path: string) => join(place.folder, path);
const configure = (config: object) => place.write('skillgate.config.json', JSON.stringify(config));

async function saidBy(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await place.run(...args);
  expect(code).not.toBe(0);
  return stdout + stderr;
}

it('a folder in the place of an archive is named, with the way out', async () => {
  mkdirSync(at('odd'));
  configure({ sources: [{ kind: 'archive', name: 'packed', path: 'odd' }] });
  const said = await saidBy('sources', 'refresh');
  expect(said).toMatch(/\bodd\b/);
  expect(said).toContain('give the path of an archive');
});

it('an address that is no web address is shown as it is, not as null/etc/passwd', async () => {
  configure({ sources: [{ kind: 'mcp', name: 'odd', url: 'file:///etc/passwd' }] });
  const said = await saidBy('sources', 'refresh');
  expect(said).toContain('file:///etc/passwd');
  expect(said).not.toContain('null/etc');
  expect(said).toMatch(/https:\/\//);
});

async function site(answers: Readonly<Record<string, string | number>>): Promise<string> {
  const { url } = await listening((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === undefined) return response.writeHead(404).end();
    if (typeof answer === 'string') return response.end(answer);
    // As many bytes.
    for (let left = answer; left > 0; left -= 2 ** 20) response.write(Buffer.alloc(2 ** 20, ' '));
    return response.end();
  });
  return url;
}

it('a limit that is fixed is called fixed: no setting raises it', async () => {
  const url = await site({ '/.well-known/agent-skills/index.json': 17 * 2 ** 20 });
  configure({ sources: [{ kind: 'well-known', name: 'site', url, allowPrivate: true }] });
  const said = await saidBy('sources', 'refresh');
  expect(said).toContain('/.well-known/agent-skills/index.json sends more than 16777216 bytes');
  expect(said).toContain('That limit is fixed');
  expect(said).not.toMatch(/raise/i);
});

it('a private address says to set allowPrivate only where it is not set', async () => {
  const url = await site({});
  configure({ sources: [{ kind: 'well-known', name: 'site', url }] });
  expect(await saidBy('sources', 'refresh')).toContain('set allowPrivate');

  const elsewhere = 'http://10.1.2.3/SKILL.md';
  const index = {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name: 'tea',
        type: 'skill-md',
        description: 'tea',
        url: elsewhere,
        digest: `sha256:${'0'.repeat(64)}`,
      },
    ],
  };
  const own = await site({ '/.well-known/agent-skills/index.json': JSON.stringify(index) });
  configure({ sources: [{ kind: 'well-known', name: 'site', url: own, allowPrivate: true }] });
  const said = await saidBy('sources', 'refresh');
  expect(said).toContain(`allowPrivate is set, and covers only ${own}`);
  expect(said).not.toContain('or set allowPrivate');
});

it('a wildcard in http.allowedOrigins is refused with its place and what to write', async () => {
  for (const origin of ['https://*.example.org', '*', 'https://*']) {
    writeFileSync(
      at('skillgate.config.json'),
      JSON.stringify({ http: { allowedOrigins: ['https://app.example', origin] } }),
    );
    const said = await saidBy('config', 'check');
    expect(said).toContain(at('skillgate.config.json'));
    expect(said).toContain('http.allowedOrigins[1]: takes no wildcard for a site: list each origin or host');
  }
});
