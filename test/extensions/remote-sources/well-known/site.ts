/** A site that publishes skills, on loopback. */

import { createHash } from 'node:crypto';
import { type Loopback, loopback } from '../../net/loopback.ts';
import { packedFiles, tarGz, zip } from '../archive/packing.ts';

export const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const INDEX = '/.well-known/agent-skills/index.json';

export interface Site {
  readonly server: Loopback;
  /** Published artifacts by path, besides the index. */
  readonly artifacts: Map<string, Uint8Array>;
  /** The index's entries; a test may change them. */
  entries: Record<string, unknown>[];
  /** Publishes these files: a skill of one file directly, others as archives, alternately .zip and .tar.gz. */
  hold(files: Readonly<Record<string, string>>): void;
}

export const digestOf = (bytes: Uint8Array | string) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** With a token, answers only requests that have it. */
export async function site(token: string | null = null): Promise<Site> {
  const server = await loopback((request, response) => {
    if (token !== null && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end(`wrong: ${request.headers.authorization}`);
      return;
    }
    const path = request.url ?? '';
    const text = JSON.stringify({ $schema: SCHEMA, skills: self.entries });
    const bytes = path === INDEX ? Buffer.from(text) : self.artifacts.get(path);
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${digestOf(bytes).slice(7, 23)}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag, 'content-type': 'application/octet-stream' }).end(bytes);
  });
  const self: Site = {
    server,
    artifacts: new Map(),
    entries: [],
    hold(files) {
      self.artifacts.clear();
      self.entries = [];
      const names = [...new Set(Object.keys(files).map((path) => path.slice(0, path.indexOf('/'))))];
      for (const [at, name] of names.entries()) {
        const own = Object.entries(files).filter(([path]) => path.startsWith(`${name}/`));
        const inside = Object.fromEntries(own.map(([path, text]) => [path.slice(name.length + 1), text]));
        const isSingle = own.length === 1;
        const pack = at % 2 === 0 ? zip : tarGz;
        const bytes = isSingle ? Buffer.from(inside['SKILL.md'] ?? '') : pack(packedFiles(inside));
        const file = `${name}/${isSingle ? 'SKILL.md' : 'all.bin'}`;
        self.artifacts.set(`/.well-known/agent-skills/${file}`, bytes);
        self.entries.push({
          name,
          type: isSingle ? 'skill-md' : 'archive',
          description: `Skill ${name}.`,
          url: file,
          digest: digestOf(bytes),
        });
      }
    },
  };
  return self;
}
