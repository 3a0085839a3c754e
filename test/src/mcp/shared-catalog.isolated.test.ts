/**
 * Every method over real skills of the shared data (SKILLGATE_SHARED_DATA, or `../shared/data`), in both eras and all tool
 * profiles: the oddly formed ones, and a sample of the catalog. SKILLGATE_WHOLE_CATALOG=1 walks the whole catalog, which
 * takes many minutes; SKILLGATE_INDEX keeps its index for the next time.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
  name: z.string().optional(),
  frontmatter: z.looseObject({
    name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    description: z.string().min(1),
  }),
  resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
});
type ListedSkill = z.infer<typeof skillSchema>;
const LEFT_OUT = 'io.github.skillgate/left-out';
const page = z.looseObject({
  skills: z.array(skillSchema),
  nextCursor: z.string().optional(),
  _meta: z.looseObject({ [LEFT_OUT]: z.record(z.string(), z.number()).optional() }).optional(),
});
const oneSkill = z.looseObject({ skill: skillSchema });
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

/** Asks for everything; keeps numbers, and a line for each thing that is wrong. */
class Walker {
  readonly faults: string[] = [];
  leftOut: Record<string, number> = {};
  resources = 0;
  /** Files behind which there is a warning. */
  warned = 0;
  largestPage = 0;

  async all<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    const queue = items.values();
    const worker = async () => {
      for (const item of queue) await work(item).catch((error: Error) => this.faults.push(error.message));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  expect(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
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

  /** The pages of a list, one after another. */
  async *pages<Shape extends z.ZodType<{ nextCursor?: string | undefined }>>(
    client: RawConnection,
    method: string,
    shape: Shape,
  ) {
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const answer = await this.ask(client, method, cursor === undefined ? {} : { cursor }, shape);
      yield answer;
      ({ nextCursor: cursor } = answer);
    }
  }

  /** Every skill of `skills/list`, the same one at a time, with all of its files. Returns the URIs. */
  async skills(client: RawConnection, alsoAsk: (skill: ListedSkill) => Promise<unknown>) {
    const uris = new Set<string>();
    this.leftOut = {};
    for await (const answer of this.pages(client, 'skills/list', page)) {
      if (answer.skills.length > 1)
        this.largestPage = Math.max(this.largestPage, JSON.stringify(answer).length);
      for (const [reason, count] of Object.entries(answer._meta?.[LEFT_OUT] ?? {}))
        this.leftOut[reason] = (this.leftOut[reason] ?? 0) + count;
      await this.all(answer.skills, async (entry) => {
        const { uri, frontmatter, resources: files } = entry;
        uris.add(uri);
        this.expect(uri.endsWith(`/${frontmatter.name}/SKILL.md`), `${uri}: another name`);
        const { skill } = await this.ask(client, 'skills/get', { uri }, oneSkill);
        const isSame = isDeepStrictEqual([skill.frontmatter, skill.resources], [frontmatter, files]);
        this.expect(isSame, `${uri}: got another`);
        await alsoAsk(entry);
        await this.files(client, entry);
      });
    }
    return uris;
  }

  /** Every file with the bytes of its digest, and the folder. */
  async files(client: RawConnection, { uri: skillUri, resources: files }: ListedSkill) {
    const folderUri = skillUri.replace('/SKILL.md', '');
    await this.ask(client, 'resources/directory/read', { uri: folderUri }, resources);
    for (const { uri, size, digest } of files) {
      const [{ text, blob = '' }, ...warnings] = (await this.ask(client, 'resources/read', { uri }, contents))
        .contents;
      if (warnings.length > 0) this.warned += 1;
      const bytes = text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text);
      const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      this.expect(bytes.length === size && hash === digest, `${uri}: not its digest's bytes`);
    }
  }

  /** Every resource; those that are left out of `skills/list` can be read all the same. */
  async resourcesBut(client: RawConnection, uris: ReadonlySet<string>) {
    for await (const answer of this.pages(client, 'resources/list', resources)) {
      this.resources += answer.resources.length;
      const others = answer.resources.filter(({ uri }) => !uris.has(uri));
      await this.all(others, ({ uri }) => this.ask(client, 'resources/read', { uri }, contents));
    }
  }

  /** Each skill of a profile's list, opened by that profile's own tool. */
  async tools(gateway: Gateway, profile: ProfileName): Promise<void> {
    // Without those that only people may call.
    const { total } = await gateway.list({ limit: 1, audience: 'models' });
    const client = await connectRaw(extendedServer(gateway, { tools: profile }));
    const open = (id: string): [string, object] =>
      profile === 'skills-mcp' ? ['get_skill', { id }] : ['load_skill', { skill: id, max_tokens: 100 }];
    let count = 0;
    for (let next: Record<string, unknown> | null = {}; next !== null && count < total; ) {
      const call: Record<string, unknown> = { name: 'list_skills', arguments: next };
      const { structuredContent } = await this.ask(client, 'tools/call', call, toolList);
      const ids = structuredContent.skills.map(({ id, skill_name }) => id ?? skill_name ?? '');
      await this.all(ids, async (id) => {
        const [name, args] = open(id);
        await this.ask(client, 'tools/call', { name, arguments: args }, toolAnswer);
      });
      count += ids.length;
      const { next_cursor: cursor } = structuredContent;
      const rest = profile === 'skill-engine' ? { offset: count, limit: 100 } : { cursor };
      next = ids.length === 0 ? null : rest;
    }
    this.expect(count === total, `${profile} lists ${count} of ${total} skills.`);
    await client.close();
  }
}

/** All methods over the skills of a gateway, in both eras and all profiles. */
async function walk(gateway: Gateway) {
  const walker = new Walker();
  const legacy = await connectRaw(extendedServer(gateway));
  const modern = await connectRaw(extendedServer(gateway), '2026-07-28');
  const uris = await walker.skills(legacy, async ({ uri, name }) => {
    await walker.ask(legacy, 'skills/read', { name }, z.looseObject({ skill: z.looseObject({}) }));
    const { error } = await legacy.ask('skills/get', { name });
    // Draft B refuses skills whose arguments are missing.
    const isOpen = error === undefined || /also needs these arguments/.test(error.message);
    walker.expect(isOpen, `skills/get ${name}: ${error?.message}`);
    const prompt = { name: 'use-skill', arguments: { name: uri } };
    await walker.ask(legacy, 'prompts/get', prompt, z.looseObject({ messages: z.array(z.unknown()).min(2) }));
  });
  await walker.resourcesBut(legacy, uris);
  const modernUris = await walker.skills(modern, async () => {});
  walker.expect(isDeepStrictEqual(modernUris, uris), 'The eras list other skills.');
  for (const profile of PROFILE_NAMES) await walker.tools(gateway, profile);
  await legacy.close();
  await modern.close();
  const { faults, leftOut, resources: read, warned, largestPage } = walker;
  return { faults, leftOut, resources: read, warned, largestPage, listed: uris.size };
}

async function walkOf(skills: string, index?: string) {
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
