import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRemote } from '../../../extensions/remote-sources/extension.ts';
import { type SourceConfig, sourceSchema } from '../../../src/app/config/schema.ts';
import type { SourceSettings } from '../../../src/app/source-settings.ts';
import { plant } from '../../src/sources/scan/tree.ts';

const settingsOf = (name: string, source: unknown, fetchFolder: string): SourceSettings => {
  const config: SourceConfig = sourceSchema.parse(source);
  return { name, config, token: undefined, fetchFolder, optional: false, links: 'follow' };
};
const opening = { pinned: null, now: () => new Date(), env: {}, refreshMs: 7_200_000 };

describe('openRemote', () => {
  it.each([
    [{ kind: 'git', url: 'https://a.org/x.git' }, 'git', 'https://a.org/x.git'],
    [{ kind: 'archive', path: '/a/x.zip' }, 'archive', '/a/x.zip'],
    [{ kind: 'well-known', url: 'https://a.org' }, 'well-known', 'https://a.org/'],
    [{ kind: 'mcp', url: 'https://a.org/mcp' }, 'mcp', 'https://a.org/mcp'],
    [{ kind: 'mcp', command: 'serve-skills' }, 'mcp', 'serve-skills'],
  ])('opens %j as a source of kind %s from %s, without fetching', async (config, kind, origin) => {
    const source = await openRemote(settingsOf('team', config, join(plant({}), 'place')), opening);
    expect(source.status()).toMatchObject({
      name: 'team',
      kind,
      origin: expect.stringContaining(origin),
      resolved: null,
      verifiedAt: null,
    });
    expect(source.refreshMs).toBe(7_200_000);
    await source.close();
  });
});
