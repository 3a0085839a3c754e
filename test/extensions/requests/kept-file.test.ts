import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptFile } from '../../../extensions/requests/kept-file.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const kept = (skill: string, ...requests: string[]) => ({ skill, digest: 'd', requests });

describe('the file of requests', () => {
  it('has one line a skill, in order, and keeps lines that it does not understand', async () => {
    const path = join(temporaryFolder(), 'below', 'r.jsonl');
    const file = new KeptFile(path);
    await file.put([kept('s:b', 'two'), kept('s:a', 'one')]);
    writeFileSync(path, `\nhalf a li\n${readFileSync(path, 'utf8')}`);
    expect(file.broken()).toEqual([2]);
    await file.put([kept('s:a', 'new')]);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toEqual(['half a li', expect.stringMatching(/s:a.*new/), expect.stringMatching(/s:b/), '']);
    expect(file.broken()).toEqual([1]);
  });

  it('loses what is removed, and is gone once it is empty', async () => {
    const file = new KeptFile(join(temporaryFolder(), 'r.jsonl'));
    await file.put([kept('s:a', 'one'), kept('s:b', 'two')]);
    expect(await file.remove(({ skill }) => skill === 's:a')).toBe(1);
    expect([...file.digests().keys()]).toEqual(['s:b']);
    expect(await file.remove(() => true)).toBe(1);
    expect(existsSync(file.path)).toBe(false);
    expect(await file.remove(() => true)).toBe(0);
  });

  it('loses nothing where several write at once', async () => {
    const path = join(temporaryFolder(), 'r.jsonl');
    const skills = Array.from({ length: 8 }, (_, at) => `s:${at}`);
    await Promise.all(skills.map((skill) => new KeptFile(path).put([kept(skill, 'one')])));
    expect([...new KeptFile(path).digests().keys()]).toEqual(skills);
  });

  it('is not read or written through a link that leads out of its folder', async () => {
    const folder = temporaryFolder();
    const outside = join(folder, 'outside');
    writeFileSync(outside, 'private\n');
    mkdirSync(join(folder, 'project'));
    const path = join(folder, 'project', 'r.jsonl');
    symlinkSync(outside, path);
    await expect(new KeptFile(path).put([kept('s:a', 'one')])).rejects.toThrow(/cannot be read/);
    expect(readFileSync(outside, 'utf8')).toBe('private\n');
  });
});
