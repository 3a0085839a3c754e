import { userInfo } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { homeFolder } from '../../../../src/base/files/home-folder.ts';

afterEach(() => vi.unstubAllEnvs());

it.runIf(process.platform !== 'win32').each(['', '.', 'home'])(
  'is not below the working directory where HOME is %j',
  (home) => {
    vi.stubEnv('HOME', home);
    expect(homeFolder()).toBe(userInfo().homedir);
  },
);

it('is HOME where that is absolute', () => {
  expect(homeFolder()).toBe(process.env.HOME);
});
