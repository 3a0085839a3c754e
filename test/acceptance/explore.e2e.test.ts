/** Promise: `skillgate explore` serves its page to this machine alone, within its size, and ends when it is asked to. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { examples, freshWorkplace, prepareIndex, root } from './command.ts';
import { newToken, serveHttp } from './http-server.ts';

const place = freshWorkplace();

async function start(...args: string[]) {
  await prepareIndex(examples, join(place.folder, 'index'));
  const own = ['--no-open', '--skills', examples, '--index', 'index'];
  const { child, finished } = place.start('explore', ...own, ...args);
  const url = await new Promise<URL>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text: string) => {
      said += text;
      const found = /http:\/\/\S+#token=\S+/.exec(said);
      if (found !== null) resolve(new URL(found[0]));
    });
    finished.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
  });
  const ask = (name: string, request: object) =>
    fetch(new URL(`/api/${name}`, url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${url.hash.replace('#token=', '')}`,
      },
      body: JSON.stringify(request),
    });
  return { child, finished, url, ask };
}

describe('skillgate explore', () => {
  it('prints an address, serves the page and what the policy shows, writes its calls into the audit log, and ends', async () => {
    const audit = join(place.folder, 'audit.jsonl');
    const hidden = ['--set', 'policy.disabled=csv-*'];
    const { child, finished, url, ask } = await start('--set', `telemetry.audit=${audit}`, ...hidden);
    expect((await ask('skill', { id: 'csv-cleaning' })).status).toBe(404);
    const served = await fetch(url);
    const page = await served.text();
    const [script] = /\.\/assets\/[\w-]+\.js/.exec(page) ?? [];
    expect((await fetch(new URL(script!, url))).headers.get('content-type')).toMatch(/^text\/javascript/);
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const rule = served.headers.get('content-security-policy');
    expect(rule).toContain(`style-src 'sha256-${hash}';`);
    expect(rule).not.toContain('unsafe');
    expect(page.replace('<style>', '')).not.toMatch(/<script>|<style|style=|onclick/i);
    const found = await ask('search', { query: 'our mails land in the junk folder', counts: true });
    expect(await found.json()).toMatchObject({ hits: [{ id: 'email-deliverability' }, {}, {}, {}, {}] });
    await ask('search', { query: 'our mails la' });
    await ask('skill', { id: 'email-deliverability' });
    child.kill('SIGTERM');
    expect(await finished).toMatchObject({ code: 0, stderr: '' });
    const logged = readFileSync(audit, 'utf8');
    expect(logged.match(/"call":"explore.search"/g)).toHaveLength(1);
    expect(logged).toContain('our mails land in the junk folder');
    expect(logged).toContain('"call":"explore.skill","arguments":{"id":"email-deliverability"}');
  });

  it('says which port is taken', async () => {
    const { child, finished, url } = await start();
    const { code, stderr } = await place.run(
      'explore',
      '--no-open',
      '--skills',
      examples,
      '--port',
      url.port,
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `skillgate: Port ${url.port} cannot be used: choose another one with --port.\n`,
    });
    child.kill('SIGTERM');
    await finished;
  });
});

describe('serve --http with http.explore', () => {
  it('serves the page to callers with a token, each as its own principal, and to nobody else', async () => {
    const [admin, guest] = [await newToken(place, 'admin'), await newToken(place, 'guest')];
    place.write(
      'skillgate.config.json',
      JSON.stringify({
        sources: [{ kind: 'local', root: examples, name: 'examples' }],
        http: { explore: true },
        auth: { tokens: 'tokens.json' },
        policy: {
          default: 'deny',
          rules: [
            { who: ['admin'], allow: [{ sources: ['examples'] }] },
            { who: ['guest'], allow: [{ skills: ['*csv*'] }, { skills: ['**/*csv*'] }] },
          ],
        },
        limits: { callsPerMinute: 20 },
        telemetry: { audit: 'audit.jsonl' },
      }),
    );
    const server = await serveHttp(place, null, '--config', 'skillgate.config.json');
    const base = new URL('/explore/', server.url);
    const ask = (name: string, request: object, token = '', method = 'POST') =>
      fetch(new URL(`api/${name}`, base), {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token !== '' && { authorization: `Bearer ${token}` }),
        },
        ...(method === 'POST' && { body: JSON.stringify(request) }),
      });
    const page = await fetch(new URL('/explore', server.url));
    expect(page.url).toBe(base.href);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await ask('overview', {})).status).toBe(401);
    expect((await ask('overview', {}, 'sg_wrong')).status).toBe(401);
    expect((await ask('overview', {}, '', 'GET')).status).toBe(401);
    expect((await ask('overview', {}, admin, 'DELETE')).status).toBe(405);
    expect((await fetch(new URL('assets/none.js', base))).status).toBe(404);
    // The index may still be made.
    await expect
      .poll(async () => (await ask('overview', {}, admin)).json())
      .toMatchObject({ result: { skills: 32, principal: 'admin' } });
    expect(await (await ask('overview', {}, guest)).json()).toMatchObject({
      result: { skills: 1, principal: 'guest' },
    });
    for (const [name, request] of [
      ['search', { query: 'our mails land in the junk folder', counts: true }],
      ['improve', {}],
      ['map', {}],
    ] as const) {
      const text = await (await ask(name, request, guest)).text();
      expect(text).not.toContain('email');
      expect(text).not.toContain(place.folder);
    }
    // Each query of a set counts as a call.
    const queries = Array.from({ length: 30 }, () => 'clean a csv');
    const refused = await ask('ranks', { skill: 'csv-cleaning', description: '', queries }, guest);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await server.end()).code).toBe(0);
    expect(readFileSync(join(place.folder, 'audit.jsonl'), 'utf8')).toMatch(
      /"who":"guest","call":"explore.search","arguments":\{"query":"our mails land/,
    );
  });
});

describe('the built page', () => {
  it('takes at most 80 KB, compressed', () => {
    const folder = join(root, 'dist', 'explore');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const bytes = files.map((file) => gzipSync(readFileSync(join(file.parentPath, file.name))).length);
    expect(files.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80_000);
  });
});
