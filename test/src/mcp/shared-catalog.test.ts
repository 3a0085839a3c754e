/**
 * Every method over the oddly formed skills of the shared data, where that is present (SKILLGATE_SHARED_DATA, or
 * `../shared/data`). `.ci/clients/check.js` walks a thousand ordinary ones.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { memoryDirectory } from '#index';
import { openLibrary, settingsOf } from '../../../src/app/public.ts';
import { openGateway } from '../../../src/gateway/public.ts';
import { extendedServer } from './extended-server.ts';
import { connectRaw, type RawConnection } from './raw.ts';

const data = process.env.SKILLGATE_SHARED_DATA ?? resolve(import.meta.dirname, '../../../../shared/data');
const archive = join(data, 'catalog-odd.tar.xz');

/** All skills are listed, one of this many is read. */
const OF = 8;

const pageSchema = z.looseObject({
  skills: z.array(
    z.looseObject({
      uri: z.string(),
      name: z.string(),
      frontmatter: z.looseObject({
        name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
        description: z.string().min(1),
      }),
      resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
    }),
  ),
  nextCursor: z.string().optional(),
  _meta: z.unknown().optional(),
});
const contentsSchema = z.object({
  contents: z.tuple([z.object({ text: z.string().optional(), blob: z.string().optional() })]),
});

async function result(client: RawConnection, method: string, params: Record<string, unknown>) {
  const { result: found, error } = await client.ask(method, params);
  if (error !== undefined) throw new Error(`${method} ${JSON.stringify(params)}: ${error.message}`);
  return found;
}

it.skipIf(!existsSync(archive))(
  'the odd skills are listed, got, read and loaded by every method',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skillgate-odd-'));
    execFileSync('tar', ['-xJf', archive, '-C', folder]);
    const settings = await settingsOf(
      { skills: [join(folder, 'catalog-odd')], vectors: 'exact' },
      { cwd: folder, home: folder, env: {} },
    );
    const library = await openLibrary(settings, { log: () => {}, directory: memoryDirectory() });
    await library.update();
    const gateway = openGateway(library);
    const { skills: total } = await gateway.summary();
    const client = await connectRaw(extendedServer(gateway));
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = pageSchema.parse(
        await result(client, 'skills/list', cursor === undefined ? {} : { cursor }),
      );
      expect(JSON.stringify(page).length).toBeLessThan(65_536);
      expect(page._meta).toBeUndefined();
      for (const { uri, name, frontmatter, resources } of page.skills) {
        uris.push(uri);
        expect(uri.endsWith(`/${frontmatter.name}/SKILL.md`)).toBe(true);
        if (uris.length % OF !== 1) continue;
        expect(await result(client, 'skills/get', { uri })).toMatchObject({ skill: { uri, frontmatter } });
        expect(await result(client, 'skills/read', { name })).toMatchObject({ skill: { name } });
        await result(client, 'resources/directory/read', { uri: uri.replace('/SKILL.md', '') });
        for (const resource of resources) {
          const read = contentsSchema.parse(await result(client, 'resources/read', { uri: resource.uri }));
          const [{ text, blob = '' }] = read.contents;
          const bytes = text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text);
          expect(bytes.length).toBe(resource.size);
          expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(resource.digest);
        }
        expect((await gateway.load({ skill: uri, maxTokens: 100 })).entry.uri).toBe(uri);
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(total).toBeGreaterThan(200);
    expect(new Set(uris).size).toBe(total);
    await client.close();
    await library.close();
    rmSync(folder, { recursive: true, force: true });
  },
  120_000,
);
