/** What every source of skills promises, run over each implementation. */

import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/sources/source.ts';

/** Makes a source of that name which holds these files, by path; skills are the folders with a SKILL.md. */
export type MakeSource = (name: string, files: Readonly<Record<string, string>>) => Source | Promise<Source>;

const TEA = '---\nname: tea\ndescription: Brews tea.\n---\nPour.\n';

export function describeSource(title: string, make: MakeSource): void {
  describe(`${title}, as a Source`, () => {
    it('keeps its name', async () => {
      expect((await make('tea-room', {})).name).toBe('tea-room');
    });

    it('finds no skills in an empty source', async () => {
      expect((await (await make('empty', {})).scan()).folders).toEqual([]);
    });

    it('finds every folder with a skill file, in order of id, each with its own files', async () => {
      const source = await make('house', {
        'z/SKILL.md': TEA,
        'a/b/SKILL.md': TEA,
        'a/b/references/x.md': '# X\n',
        'a/b/scripts/y.sh': 'echo\n',
        'a/b/inner/SKILL.md': TEA,
        'a/b/inner/z.md': '# Z\n',
        'a/readme.md': 'no skill here',
      });
      const { folders } = await source.scan();
      expect(folders.map(({ id, files }) => [id, files.map(({ path, kind }) => `${kind} ${path}`)])).toEqual([
        ['a/b', ['skill SKILL.md', 'reference references/x.md', 'script scripts/y.sh']],
        ['a/b/inner', ['skill SKILL.md', 'reference z.md']],
        ['z', ['skill SKILL.md']],
      ]);
      expect(folders[0]).toMatchObject({
        source: 'house',
        uri: 'skill://house/a/b/SKILL.md',
        file: 'SKILL.md',
        folder: expect.stringMatching(/^(?:\/|[A-Z]:\\)/),
      });
      expect(folders[0]?.files[1]).toEqual({ path: 'references/x.md', size: 4, kind: 'reference' });
    });

    it('percent-encodes each segment of a URI', async () => {
      const { folders } = await (await make('house', { 'a b/c#d?/%20é/SKILL.md': TEA })).scan();
      expect(folders.map(({ id, uri }) => [id, uri])).toEqual([
        ['a b/c#d?/%20é', 'skill://house/a%20b/c%23d%3F/%2520%C3%A9/SKILL.md'],
      ]);
    });

    it('gives equal scans if nothing changed', async () => {
      const source = await make('house', { 'a/SKILL.md': TEA, 'b/SKILL.md': TEA });
      expect(await source.scan()).toEqual(await source.scan());
    });

    it('rejects only with the reason of an aborted signal', async () => {
      const files = Array.from({ length: 3 }, (_, at) => [`s${at}/SKILL.md`, TEA] as const);
      const source = await make('house', Object.fromEntries(files));
      await expect(source.scan(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
      expect((await source.scan(new AbortController().signal)).folders).toHaveLength(3);
    });
  });
}
