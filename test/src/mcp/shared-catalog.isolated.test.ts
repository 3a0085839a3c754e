/**
 * Every method over real skills of the shared data (SKILLGATE_SHARED_DATA, or `../shared/data`), in both eras and all tool
 * profiles: the oddly formed ones, and a sample of the catalog. SKILLGATE_WHOLE_CATALOG=1 walks the whole catalog, which
 * takes many minutes; SKILLGATE_INDEX keeps its index for the next time.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { readSettings } from '../../../src/app/settings.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { openGateway } from '../../../src/gateway/pipeline.ts';
import { needsThat } from '../../needs.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { extendedServer } from './extended-server.ts';
import { PROFILE_NAMES, type ProfileName } from './profiles.ts';
import { connectRaw, type RawConnection } from './raw.ts';

const data = process.env.SKILLGATE_SHARED_DATA ?? resolve(import.meta.dirname, '../../../../shared/data');
const whole = process.env.SKILLGATE_WHOLE_CATALOG === '1';

/** Skills of a sample. */
const SAMPLE = 150;
/** Real skills whose text is marked as suspicious. */
const SUSPICIOUS = [
  'aiskillstore__marketplace/skills/agentsecops/network-netcat',
  'getsentry__skills/skills/skill-scanner',
  'openclaw__skills/skills/aslaep123/reddit-trends',
];
/** Questions at a time. */
const AT_ONCE = 16;

const folder = temporaryFolder();

/** The archives are packed with xz. */
const xz = needsThat(spawnSync('xz', ['--version']).status === 0, 'xz');

/** The folder of that name, unpacked where only its archive is there; undefined where the data is absent. */
function unpacked(name: string): string | undefined {
  if (existsSync(join(data, name))) return join(data, name);
  const archive = join(data, `${name}.tar.xz`);
  if (!existsSync(archive)) return undefined;
  execFileSync('tar', ['-xJf', archive, '-C', folder]);
  return join(folder, name);
}

const skillSchema = z.looseObject({
  uri: z.string(),
  frontmatter: z.looseObject({
    name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    description: z.string().min(1),
  }),
  resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
  _meta: z.looseObject({}).optional(),
});
const LEFT_OUT = 'io.github.skillgate/left-out';
const page = z.looseObject({
  skills: z.array(skillSchema),
  nextCursor: z.string().optional(),
  _meta: z.looseObject({ [LEFT_OUT]: z.record(z.string(), z.number()).optional() }).optional(),
});
/** The file, and a warning behind it where its text is suspicious. */
const contents = z.looseObject({
  contents: z
    .tuple([z.looseObject({ text: z.string().optional(), blob: z.string().optional() })])
    .rest(z.looseObject({ uri: z.literal('skillgate:warning'), text: z.string().min(1) })),
});
const resources = z.looseObject({
  resources: z.array(z.looseObject({ uri: z.string() })),
  nextCursor: z.string().optional(),
});
const toolAnswer = z.looseObject({
  isError: z.literal(false).optional(),
  structuredContent: z.looseObject({}).optional(),
});
const toolList = z.looseObject({
  structuredContent: z.looseObject({
    skills: z.array(z.looseObject({ id: z.string().optional(), skill_name: z.string().optional() })),
    next_cursor: z.string().optional(),
  }),
});

/** What a walk found: numbers, and a line for each thing that is wrong. */
interface Walk {
  listed: number;
  adapted: number;
  leftOut: Record<string, number>;
  resources: number;
  files: number;
  /** Files behind which a warning stands. */
  warned: number;
  largestPage: number;
  readonly faults: string[];
}

class Walker {
  readonly found: Walk = {
    listed: 0,
    adapted: 0,
    leftOut: {},
    resources: 0,
    files: 0,
    warned: 0,
    largestPage: 0,
    faults: [],
  };

  async all<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    const queue = items.values();
    const worker = async () => {
      for (const item of queue)
        await work(item).catch((error: Error) => this.found.faults.push(error.message));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /** Asks and parses. Throws what was asked and what came instead. */
  async ask<Shape extends z.ZodType>(
    client: RawConnection,
    method: string,
    params: Record<string, unknown>,
    shape: Shape,
  ): Promise<z.infer<Shape>> {
    const { result, error } = await client.ask(method, params);
    const parsed = shape.safeParse(result);
    if (error === undefined && parsed.success) return parsed.data;
    const text = error?.message ?? `${parsed.error?.message} in ${JSON.stringify(result).slice(0, 400)}`;
    throw new Error(`${method} ${JSON.stringify(params)}: ${text}`);
  }

  async skills(client: RawConnection, each: (skill: z.infer<typeof skillSchema>) => Promise<unknown>) {
    const uris = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const found = await this.ask(client, 'skills/list', cursor === undefined ? {} : { cursor }, page);
      if (found.skills.length > 1)
        this.found.largestPage = Math.max(this.found.largestPage, JSON.stringify(found).length);
      for (const [reason, count] of Object.entries(found._meta?.[LEFT_OUT] ?? {}))
        this.found.leftOut[reason] = (this.found.leftOut[reason] ?? 0) + count;
      for (const { uri, frontmatter, _meta } of found.skills) {
        if (!uri.endsWith(`/${frontmatter.name}/SKILL.md`)) this.found.faults.push(`${uri}: another name`);
        if (_meta !== undefined) this.found.adapted += 1;
        uris.add(uri);
      }
      await this.all(found.skills, each);
      cursor = found.nextCursor;
      if (cursor === undefined) break;
    }
    this.found.listed = uris.size;
    return uris;
  }

  async resources(client: RawConnection, uris: ReadonlySet<string>) {
    for (let cursor: string | undefined; ; ) {
      const params = cursor === undefined ? {} : { cursor };
      const found = await this.ask(client, 'resources/list', params, resources);
      this.found.resources += found.resources.length;
      const others = found.resources.filter(({ uri }) => !uris.has(uri));
      // Those that are left out of skills/list can be read all the same.
      await this.all(others, ({ uri }) => this.ask(client, 'resources/read', { uri }, contents));
      cursor = found.nextCursor;
      if (cursor === undefined) break;
    }
  }

  /** Every file with the bytes of its digest, and the folder. */
  async files(client: RawConnection, { uri: own, resources: files }: z.infer<typeof skillSchema>) {
    await this.ask(client, 'resources/directory/read', { uri: own.replace('/SKILL.md', '') }, resources);
    for (const { uri, size, digest } of files) {
      const read = (await this.ask(client, 'resources/read', { uri }, contents)).contents;
      const [{ text, blob = '' }, ...warnings] = read;
      if (warnings.length > 0) this.found.warned += 1;
      const bytes = text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text);
      const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      if (bytes.length !== size || hash !== digest) this.found.faults.push(`${uri}: not its digest's bytes`);
      this.found.files += 1;
    }
  }
}

/** All methods over the skills of a gateway. */
async function walk(gateway: Gateway): Promise<Walk> {
  const walker = new Walker();
  const legacy = await connectRaw(extendedServer(gateway));
  const modern = await connectRaw(extendedServer(gateway), '2026-07-28');
  const uris = await walker.skills(legacy, async (entry) => {
    const { uri } = entry;
    const name = z.string().parse(entry.name);
    const { skill: got } = await walker.ask(
      legacy,
      'skills/get',
      { uri },
      z.looseObject({ skill: skillSchema }),
    );
    if (got.frontmatter.name !== entry.frontmatter.name) walker.found.faults.push(`${uri}: got another`);
    await walker.ask(legacy, 'skills/read', { name }, z.looseObject({ skill: z.looseObject({}) }));
    const byName = await legacy.ask('skills/get', { name });
    // Draft B refuses skills whose arguments are missing.
    if (byName.error !== undefined && !/also needs these arguments/.test(byName.error.message))
      walker.found.faults.push(`skills/get ${name}: ${byName.error.message}`);
    const prompt = { name: 'use-skill', arguments: { name: uri } };
    await walker.ask(legacy, 'prompts/get', prompt, z.looseObject({ messages: z.array(z.unknown()).min(2) }));
    await walker.files(legacy, entry);
  });
  await walker.resources(legacy, uris);
  const again = new Walker();
  const modernUris = await again.skills(modern, async (entry) => {
    const { skill: got } = await again.ask(
      modern,
      'skills/get',
      { uri: entry.uri },
      z.looseObject({ skill: skillSchema }),
    );
    if (JSON.stringify(got) !== JSON.stringify(entry)) again.found.faults.push(`${entry.uri}: got another`);
    const [own] = entry.resources;
    await again.ask(modern, 'resources/read', { uri: own?.uri ?? '' }, contents);
  });
  walker.found.faults.push(...again.found.faults);
  if (modernUris.size !== uris.size) walker.found.faults.push('The eras list other skills.');
  await callTools(walker, gateway);
  await legacy.close();
  await modern.close();
  return walker.found;
}

/** How each profile's tools list the skills after so many, and open one. */
const PROFILE_CALLS: Record<ProfileName, { list: Lister; open: (id: string) => [string, object] }> = {
  'search-first': {
    list: (_, cursor) => (cursor === undefined ? {} : { cursor }),
    open: (id) => ['load_skill', { skill: id, max_tokens: 100 }],
  },
  'skills-mcp': {
    list: (_, cursor) => (cursor === undefined ? {} : { cursor }),
    open: (id) => ['get_skill', { id }],
  },
  'skill-engine': {
    list: (offset) => ({ offset, limit: 100 }),
    open: (id) => ['load_skill', { skill: id, max_tokens: 100 }],
  },
};
type Lister = (count: number, cursor: string | undefined) => object;

/** Each skill of each profile's list, opened by that profile's own tool. */
async function callTools(walker: Walker, gateway: Gateway): Promise<void> {
  // Without those that only people may call.
  const { total } = await gateway.list({ limit: 1, audience: 'models' });
  for (const profile of PROFILE_NAMES) {
    const { list, open } = PROFILE_CALLS[profile];
    const client = await connectRaw(extendedServer(gateway, { tools: profile }));
    let count = 0;
    let cursor: string | undefined;
    while (count < total) {
      const call = { name: 'list_skills', arguments: list(count, cursor) };
      const { structuredContent } = await walker.ask(client, 'tools/call', call, toolList);
      const ids = structuredContent.skills.map(({ id, skill_name }) => id ?? skill_name ?? '');
      if (ids.length === 0) break;
      await walker.all(ids, async (id) => {
        const [name, args] = open(id);
        await walker.ask(client, 'tools/call', { name, arguments: args }, toolAnswer);
      });
      count += ids.length;
      cursor = structuredContent.next_cursor;
    }
    if (count !== total) walker.found.faults.push(`${profile} lists ${count} of ${total} skills.`);
    await client.close();
  }
}

async function walkOf(skills: string, index?: string): Promise<Walk & { total: number }> {
  const settings = await readSettings(
    { skills: [skills], vectors: 'exact', ...(index !== undefined && { index }) },
    { cwd: folder, home: folder, env: {} },
  );
  const options = index === undefined ? { directory: memoryDirectory() } : {};
  const library = await openLibrary(settings, { log: () => {}, ...options });
  try {
    await library.update();
    const gateway = openGateway(library);
    return { ...(await walk(gateway)), total: (await gateway.summary()).skills };
  } finally {
    await library.close();
  }
}

function expectWhole({
  total,
  listed,
  leftOut,
  resources: own,
  largestPage,
  faults,
}: Awaited<ReturnType<typeof walkOf>>) {
  expect(faults.slice(0, 20)).toEqual([]);
  const left = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  expect(listed + left).toBe(total);
  expect(own).toBe(total);
  expect(left).toBeLessThan(total / 100);
  expect(largestPage).toBeLessThan(65_536);
}

const absent = (what: string) => `${what} is not at ${data}: set SKILLGATE_SHARED_DATA.`;

it('the odd skills are listed, got, read and loaded by every method', { ...xz, timeout: 180_000 }, async ({
  skip,
}) => {
  const odd = unpacked('catalog-odd');
  if (odd === undefined) return skip(absent('catalog-odd'));
  const found = await walkOf(odd);
  expect(found.total).toBeGreaterThan(200);
  expect(found.leftOut).toEqual({});
  expectWhole(found);
});

it.skipIf(whole)(
  'so is a sample of the catalog',
  async ({ skip }) => {
    const catalog = join(data, 'catalog');
    if (!existsSync(catalog))
      return skip(`${absent('catalog')} It is unpacked for SKILLGATE_WHOLE_CATALOG=1 only.`);
    const sample = join(folder, 'sample');
    for (const path of [...sampleOf(catalog), ...SUSPICIOUS]) {
      const own = (from: string) => from === join(catalog, path) || !existsSync(join(from, 'SKILL.md'));
      cpSync(join(catalog, path), join(sample, path), { recursive: true, filter: own });
    }
    const found = await walkOf(sample);
    expectWhole(found);
    expect(found.warned).toBeGreaterThanOrEqual(SUSPICIOUS.length);
  },
  180_000,
);

it.runIf(whole)(
  'so is the whole catalog',
  async () => {
    const catalog = unpacked('catalog');
    if (catalog === undefined) throw new Error(absent('catalog'));
    const found = await walkOf(catalog, process.env.SKILLGATE_INDEX ?? join(folder, 'index'));
    console.log(JSON.stringify({ ...found, faults: found.faults.length }));
    expectWhole(found);
  },
  7_200_000,
);

/** Paths of skills, the same on every run. */
function sampleOf(catalog: string): string[] {
  const rank = (path: string) => createHash('sha256').update(path).digest('hex');
  return readdirSync(catalog)
    .flatMap((repository) =>
      readdirSync(join(catalog, repository), { withFileTypes: true }).map((entry) =>
        join(repository, entry.name),
      ),
    )
    .filter((path) => existsSync(join(catalog, path, 'SKILL.md')))
    .map((path) => ({ path, rank: rank(path) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, SAMPLE)
    .map(({ path }) => path);
}
