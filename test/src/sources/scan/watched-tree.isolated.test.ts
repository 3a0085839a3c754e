import { describe, expect, it, vi } from 'vitest';
import { WatchedTree } from '../../../../src/sources/scan/watched-tree.ts';
import { plant, skillText } from './tree.ts';

const refused = vi.hoisted(() => ({ code: '' }));

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  watch() {
    throw Object.assign(new Error(`${refused.code}: no`), { code: refused.code });
  },
}));

async function errorsOf(code: string, root: string): Promise<string[]> {
  refused.code = code;
  const errors: string[] = [];
  const onError = (error: Error) => errors.push(error.message);
  const tree = new WatchedTree({ onChange() {}, onError, budget: { limit: 9, left: 9 } });
  await tree.watch(root);
  return errors;
}

describe('a tree that the system refuses to watch', () => {
  it.each([
    ['ENOSPC', /use all watches that the system allows.*Raise fs\.inotify\.max_user_watches/],
    ['EMFILE', /use all watches that the system allows.*Raise fs\.inotify\.max_user_instances/],
    ['ENOSYS', /^ENOSYS: no$/],
  ])('explains %s and says what to do', async (code, message) => {
    const root = plant({ 'tea/SKILL.md': skillText('tea') });
    expect(await errorsOf(code, root)).toEqual([expect.stringMatching(message)]);
  });

  it('ignores an unreadable directory, which a scan reports', async () => {
    expect(await errorsOf('EACCES', plant({}))).toEqual([]);
  });
});
