import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../../src/app/config/check.ts';
import {
  leaves,
  overridden,
  overridesOfEnvironment,
  overridesOfFlags,
} from '../../../../src/app/config/overrides.ts';
import { VARIABLES } from '../../../../src/app/config/variables.ts';
import { HERE } from './read-config.ts';

const fromFlags = (...flags: string[]) => checkConfig({}, overridesOfFlags(flags, HERE));
const fromEnv = (env: Record<string, string>) => checkConfig({}, overridesOfEnvironment(env, HERE));

describe('settings of flags and environment', () => {
  it('reach every setting with one value; those of the environment are settings', () => {
    const names = leaves().map(({ path }) => path.join('.'));
    for (const name of [
      'index.folder',
      'policy.default',
      'auth.oauth.issuer',
      'limits.bytesPerMinute',
      'scripts.enabled',
    ])
      expect(names).toContain(name);
    expect(names).toEqual(expect.arrayContaining(Object.values(VARIABLES)));
  });

  it('mean numbers, switches, lists and texts as the setting does', () => {
    const given = fromFlags(
      'limits.callsPerMinute=7',
      'limits.bytesPerMinute=2MiB',
      'scripts.enabled=1',
      'http.allowedHosts=a.org, b.org',
      'policy.default=deny',
    );
    expect(given.limits).toMatchObject({ callsPerMinute: 7, bytesPerMinute: '2MiB' });
    expect(given.scripts.enabled).toBe(true);
    expect(given.http.allowedHosts).toEqual(['a.org', 'b.org']);
    expect(given.policy.default).toBe('deny');
    const env = {
      SKILLGATE_HTTP_PORT: '7',
      SKILLGATE_LEARN: 'false',
      SKILLGATE_HTTP_HOST: '',
    };
    expect(fromEnv(env)).toMatchObject({ http: { port: 7 }, learn: { enabled: false } });
    expect(fromEnv(env).http.host).toBeUndefined();
  });

  it('reach the settings of what is also a switch', () => {
    const learning = { minPrincipals: 5, enabled: true };
    expect(fromFlags('learn.minPrincipals=5').learn).toEqual(learning);
    expect(fromFlags('learn=true', 'learn.minPrincipals=5').learn).toEqual(learning);
    expect(fromFlags('learn=false', 'learn.minPrincipals=5').learn).toEqual(learning);
    expect(fromEnv({ SKILLGATE_LEARN: 'true' }).learn.enabled).toBe(true);
    expect(overridden({ learn: false }, overridesOfFlags(['learn.minPrincipals=5'], HERE))).toEqual({
      learn: { minPrincipals: 5 },
    });
  });

  it('resolve paths against the working directory or home, except stderr', () => {
    const { index, telemetry, auth } = fromFlags(
      'index.folder=ix',
      'telemetry.audit=stderr',
      'auth.tokens=~/t',
    );
    expect(index.folder).toBe('/here/ix');
    expect(telemetry.audit).toBe('stderr');
    expect(auth.tokens).toBe('/home/me/t');
  });

  it.each([
    ['limits.callsPerMinut=3', 'Did you mean "limits.callsPerMinute"?'],
    ['limits.callsPerMinute', '--set limits.callsPerMinute=VALUE'],
    ['sources=[]', 'no setting with this name'],
    ['scripts.enabled=maybe', 'expected boolean, received string'],
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
