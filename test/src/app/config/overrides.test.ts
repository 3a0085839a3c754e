import { describe, expect, it } from 'vitest';
import { configWithoutFile } from '../../../../src/app/config/check.ts';
import {
  leaves,
  overridden,
  overridesOfEnvironment,
  overridesOfFlags,
} from '../../../../src/app/config/overrides.ts';
import { readConfig } from '../../../../src/app/config/read.ts';

const fromFlags = (...flags: string[]) => configWithoutFile(overridesOfFlags(flags, '/here')).config;
const fromEnv = (env: Record<string, string>) =>
  configWithoutFile(overridesOfEnvironment(env, '/here')).config;

describe('settings of flags and environment', () => {
  it('reach every setting with one value, each under its own name', () => {
    const names = leaves().map(({ path }) => path.join('.'));
    const variables = leaves().map(({ variable }) => variable);
    for (const name of [
      'index.folder',
      'policy.default',
      'auth.oauth.issuer',
      'http.tls.cert',
      'limits.maxBody',
      'scripts.enabled',
    ])
      expect(names).toContain(name);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toContain('SKILLGATE_LIMITS_CALLS_PER_MINUTE');
    expect(variables).toContain('SKILLGATE_AUTH_OAUTH_JWKS_URI');
    for (const variable of variables) expect(variable).toMatch(/^SKILLGATE(_[A-Z]+)+$/);
  });

  it('mean numbers, switches, lists and texts as the setting does', () => {
    const given = fromFlags(
      'limits.callsPerMinute=7',
      'limits.maxBody=2MiB',
      'scripts.enabled=1',
      'http.allowedHosts=a.org, b.org',
      'policy.default=deny',
    );
    expect(given.limits).toMatchObject({ callsPerMinute: 7, maxBody: '2MiB' });
    expect(given.scripts.enabled).toBe(true);
    expect(given.http.allowedHosts).toEqual(['a.org', 'b.org']);
    expect(given.policy.default).toBe('deny');
    const env = {
      SKILLGATE_LIMITS_CALLS_PER_MINUTE: '7',
      SKILLGATE_SCRIPTS_ENABLED: 'false',
      SKILLGATE_HTTP_PORT: '',
    };
    expect(fromEnv(env)).toMatchObject({
      limits: { callsPerMinute: 7 },
      scripts: { enabled: false },
      http: {},
    });
  });

  it('reach the settings of what is also a switch', () => {
    const learning = { exclude: [], minPrincipals: 5, enabled: true };
    expect(fromFlags('learn.minPrincipals=5').learn).toEqual(learning);
    expect(fromFlags('learn=true', 'learn.minPrincipals=5').learn).toEqual(learning);
    expect(fromFlags('learn=false', 'learn.minPrincipals=5').learn).toEqual({ ...learning, enabled: false });
    expect(fromEnv({ SKILLGATE_LEARN: 'true', SKILLGATE_LEARN_MIN_PRINCIPALS: '5' }).learn).toEqual(learning);
    expect(overridden({ learn: false }, overridesOfFlags(['learn.minPrincipals=5'], '/here'))).toEqual({
      learn: { enabled: false, minPrincipals: 5 },
    });
  });

  it('resolve paths against the working directory, except stderr and home paths', () => {
    const { http, telemetry, auth } = fromFlags(
      'http.tls.cert=c.pem',
      'http.tls.key=/k.pem',
      'telemetry.audit=stderr',
      'auth.tokens=~/t',
    );
    expect(http.tls).toEqual({ cert: '/here/c.pem', key: '/k.pem' });
    expect(telemetry.audit).toBe('stderr');
    expect(auth.tokens).toBe('~/t');
  });

  it('override the file, and flags override the environment', () => {
    const file = 'limits: { callsPerMinute: 1, bytesPerMinute: 1, maxConnections: 1 }';
    const env = { SKILLGATE_LIMITS_CALLS_PER_MINUTE: '2', SKILLGATE_LIMITS_BYTES_PER_MINUTE: '2' };
    const overrides = [
      ...overridesOfEnvironment(env, '/'),
      ...overridesOfFlags(['limits.callsPerMinute=3'], '/'),
    ];
    expect(readConfig(file, 'c.yaml', overrides).config.limits).toMatchObject({
      callsPerMinute: 3,
      bytesPerMinute: 2,
      maxConnections: 1,
    });
  });

  it.each([
    ['limits.callsPerMinut=3', 'Did you mean "limits.callsPerMinute"?'],
    ['limits.callsPerMinute', '--set limits.callsPerMinute=VALUE'],
    ['sources=[]', 'no setting with this name'],
    ['scripts.enabled=maybe', 'takes true or false, not "maybe"'],
    ['__proto__.a=1', 'no setting with this name'],
  ])('refuse %s, naming the flag', (flag, message) => {
    expect(() => fromFlags(flag)).toThrow(`--set ${flag.split('=')[0]}`);
    expect(() => fromFlags(flag)).toThrow(message);
  });

  it('ignore variables of other programs', () => {
    // Orchestrators set these for a service with this name.
    const env = {
      SKILLGATE_PORT: 'tcp://10.0.0.1:80',
      SKILLGATE_SERVICE_HOST: '10.0.0.1',
      SKILLGATE_HTTP_SURPRISE: 'x',
    };
    expect(fromEnv(env)).toEqual(fromEnv({}));
  });

  it('leave a value that is not a mapping to the schema', () => {
    const from = { where: 'x', line: null, column: null };
    expect(overridden([1], [{ path: ['a', 'b'], value: 1, from }])).toEqual([1]);
    expect(overridden({ a: 1 }, [{ path: ['a', 'b'], value: 1, from }])).toEqual({ a: 1 });
  });
});
