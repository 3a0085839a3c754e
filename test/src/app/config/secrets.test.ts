/** `expand.ts` expands secrets, `mask.ts` masks them for printing. */

import { describe, expect, it } from 'vitest';
import { expandSource } from '../../../../src/app/config/expand.ts';
import { masked, maskedUrl } from '../../../../src/app/config/mask.ts';
import { configSchema, type SourceConfig, sourceSchema } from '../../../../src/app/config/schema.ts';

const SECRET = 'hunter2';
const source = (value: unknown): SourceConfig => sourceSchema.parse(value);
const mcp = (more: object) => source({ kind: 'mcp', url: 'https://a.org', ...more });
const reference = (name: string) => `\${${name}}`;

describe('expandSource', () => {
  it('expands variables in env and headers of MCP servers and in headers of sites', () => {
    const env = { TOKEN: SECRET, WHO: 'me' };
    const headers = {
      Authorization: `Bearer ${reference('TOKEN')}`,
      'X-Who': `${reference('WHO')}/${reference('WHO')}`,
      Plain: '$WHO {WHO}',
    };
    const expanded = { Authorization: `Bearer ${SECRET}`, 'X-Who': 'me/me', Plain: '$WHO {WHO}' };
    expect(expandSource(mcp({ headers }), env).source).toMatchObject({ headers: expanded });
    const site = source({ kind: 'well-known', url: 'https://a.org', headers });
    expect(expandSource(site, env).source).toMatchObject({ headers: expanded });
    const program = source({ kind: 'mcp', command: 'p', env: { KEY: reference('TOKEN') } });
    expect(expandSource(program, env).source).toMatchObject({ env: { KEY: SECRET } });
  });

  it('does not expand an expanded value again', () => {
    const env = { A: reference('B'), B: SECRET };
    expect(expandSource(mcp({ headers: { X: reference('A') } }), env).source).toMatchObject({
      headers: { X: reference('B') },
    });
  });

  it('names each missing or empty variable with its path', () => {
    const { missing } = expandSource(mcp({ headers: { X: reference('NO'), Y: reference('EMPTY') } }), {
      EMPTY: '',
    });
    expect(missing.map(({ path }) => path)).toEqual([
      ['headers', 'X'],
      ['headers', 'Y'],
    ]);
    expect(missing[0]?.message).toBe('The environment variable NO is not set. Set it, or remove the source.');
    const git = source({ kind: 'git', url: 'u', tokenEnv: 'NO' });
    expect(expandSource(git, {}).missing).toEqual([
      { path: ['tokenEnv'], message: expect.stringContaining('NO') },
    ]);
    expect(expandSource(git, { NO: SECRET })).toMatchObject({ token: SECRET, missing: [] });
  });
});

describe('masked', () => {
  it('masks every value that may be a secret', () => {
    const config = configSchema.parse({
      sources: [
        { kind: 'git', url: `https://user:${SECRET}@a.org/x.git` },
        {
          kind: 'well-known',
          url: `https://a.org/?token=${SECRET}&b=${SECRET}`,
          headers: { Authorization: SECRET },
        },
        {
          kind: 'mcp',
          command: 'p',
          args: ['--api-key', SECRET, `--token=${SECRET}`, '-v'],
          env: { A: SECRET },
        },
        { kind: 'mcp', url: `https://${SECRET}@a.org`, headers: { A: `Bearer ${SECRET}` } },
      ],
      telemetry: { otlp: `https://x:${SECRET}@otlp.org` },
    });
    const text = JSON.stringify(masked(config));
    expect(text).not.toContain(SECRET);
    for (const kept of ['a.org/x.git', '--api-key', '-v', 'otlp.org', 'Authorization'])
      expect(text).toContain(kept);
  });

  it('keeps the variable of a secret, and masks the text around it', () => {
    const config = configSchema.parse({
      sources: [mcp({ headers: { A: `${SECRET} ${reference('TOKEN')}` } })],
    });
    expect(masked(config).sources[0]).toMatchObject({ headers: { A: reference('TOKEN') } });
  });

  it('leaves other URLs and paths as they are', () => {
    for (const text of ['https://a.org/x', 'git@a.org:x/y.git', './a@b', 'ssh://a.org/~x'])
      expect(maskedUrl(text)).toBe(text);
    expect(maskedUrl('ssh://git@a.org/x')).toBe('ssh://***@a.org/x');
  });
});
