/** A gateway over a few skills in memory: keeps the contract; its search counts common words. */

import {
  type CatalogSummary,
  type FoundSkill,
  type FoundSkills,
  type Gateway,
  GatewayError,
  type LoadedFile,
  type ReadResult,
  type TextSlice,
} from '../../../src/gateway/gateway.ts';
import { verdictOf } from '../../../src/search/verdict.ts';
import type { CatalogEntry } from '../../../src/sources/scan/entry.ts';

export interface FakeSkill {
  readonly id: string;
  readonly name?: string;
  readonly description: string;
  readonly tags?: readonly string[];
  /** Text of each file; `SKILL.md` starts with three lines of front matter, which are never returned. */
  readonly files: Readonly<Record<string, string>>;
  readonly twins?: readonly string[];
}

/** Characters per token. */
const CHARACTERS = 4;

export function fakeGateway(skills: readonly FakeSkill[], summary: Partial<CatalogSummary> = {}): Gateway {
  const resolve = (wanted: string): FakeSkill => {
    const found = skills.filter((skill) => [skill.id, uriOf(skill), nameOf(skill)].includes(wanted));
    const exact = found.find((skill) => skill.id === wanted) ?? found[0];
    if (exact === undefined)
      throw new GatewayError('SKILL_UNKNOWN', `There is no skill ${JSON.stringify(wanted)}.`, {
        data: {
          nearest: skills.slice(0, 5).map(({ id }) => id),
        },
      });
    if (found.length > 1 && exact.id !== wanted)
      throw new GatewayError('SKILL_AMBIGUOUS', `${found.length} skills are called that.`, {
        data: {
          candidates: found.map(({ id, description }) => ({ id, description })),
        },
      });
    return exact;
  };
  return {
    async search({ query, limit, cursor, filter, also = 0 }): Promise<FoundSkills> {
      const offset = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(offset)) throw new GatewayError('REQUEST_INVALID', 'The cursor is not ours.');
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const pool = skills.filter(
        ({ tags = [], files }) =>
          (filter?.tags?.some((tag) => tags.includes(tag)) ?? true) &&
          (filter?.sources?.includes('fake') ?? true) &&
          (filter?.hasScripts === undefined ||
            filter.hasScripts === Object.keys(files).some((path) => path.startsWith('scripts/'))),
      );
      const found = pool
        .map((skill) => hitOf(skill, words))
        .filter(({ score }) => words.length === 0 || score > 0)
        .toSorted((a, b) => b.score - a.score);
      const hits = found.slice(offset, offset + limit).map((hit, at) => ({ ...hit, rank: offset + at + 1 }));
      const behind = found.slice(offset + limit, offset + limit + also);
      return {
        ...(behind.length > 0 && { also: behind }),
        query,
        words: words.map((term) => ({ term, weight: 1 })),
        retrieval:
          words.length === 0
            ? { mode: 'browse', vectors: 'none', model: null }
            : { mode: 'hybrid', vectors: 'exact', model: 'fake-model' },
        searched: pool.length,
        hits,
        ...(offset + limit < found.length && { nextCursor: String(offset + limit) }),
        fit: words.length === 0 ? null : (found[0]?.score ?? 0),
        confidence: words.length === 0 ? null : (found[0]?.score ?? 0),
        weak: words.length > 0 && verdictOf(found[0]?.score ?? null) === 'none',
        tookMs: 1,
      };
    },

    async load({ skill: wanted, section, maxTokens = 8_000 }) {
      const skill = resolve(wanted);
      const lines = (skill.files['SKILL.md'] ?? '').split('\n');
      const outline = lines.flatMap((line, at) => {
        const [, marks, heading] = /^(#+) (.*)$/.exec(line) ?? [];
        return marks === undefined || heading === undefined
          ? []
          : [{ heading, level: marks.length, line: at + 1 }];
      });
      const part = outline.find(({ heading }) => heading === section);
      if (section !== undefined && part === undefined)
        throw new GatewayError('SECTION_UNKNOWN', 'There is no such heading.', {
          data: {
            headings: outline.map(({ heading }) => heading),
          },
        });
      const next = outline.find(({ line, level }) => part && line > part.line && level <= part.level);
      const to = part === undefined || next === undefined ? lines.length : next.line - 1;
      return {
        entry: entryOf(skill),
        shortId: skill.id,
        instructions: slice(lines, part?.line ?? 4, to, maxTokens),
        outline,
        files: filesOf(skill),
        frontmatter: {},
      };
    },

    async find({ skill: wanted }) {
      const skill = resolve(wanted);
      return { entry: entryOf(skill), files: filesOf(skill), frontmatter: {} };
    },

    async read({ skill: wanted, path, lines: range, maxTokens = 4_000 }): Promise<ReadResult> {
      const skill = resolve(wanted);
      if (/^[/\\]|\.\.|%2e|:/i.test(path)) throw new GatewayError('PATH_REFUSED', 'The path is refused.');
      const text = Object.hasOwn(skill.files, path) ? skill.files[path] : undefined;
      if (text === undefined)
        throw new GatewayError('PATH_UNKNOWN', `There is no file ${JSON.stringify(path)}.`, {
          data: {
            nearest: Object.keys(skill.files).slice(0, 5),
          },
        });
      if (path.endsWith('.png')) return { kind: 'image', path, mimeType: 'image/png', base64: btoa(text) };
      const lines = text.split('\n');
      const [from, to] = range ?? [1, lines.length];
      if (from < 1 || from > to || from > lines.length)
        throw new GatewayError('LINES_INVALID', `The file has ${lines.length} lines.`, {
          data: {
            lineCount: lines.length,
          },
        });
      return {
        kind: 'text',
        path,
        mimeType: 'text/markdown',
        slice: slice(lines, from, Math.min(to, lines.length), maxTokens),
      };
    },

    async list({ cursor, offset: from = 0, limit }) {
      const offset = cursor === undefined ? from : Number(cursor);
      if (!Number.isSafeInteger(offset)) throw new GatewayError('REQUEST_INVALID', 'The cursor is not ours.');
      const sorted = skills.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return {
        total: skills.length,
        entries: sorted.slice(offset, offset + limit).map(entryOf),
        ...(offset + limit < skills.length && { nextCursor: String(offset + limit) }),
      };
    },

    labels: async (entries) => entries.map(({ id }) => ({ name: id })),
    complete: async (prefix) => skills.map(({ id }) => id).filter((id) => id.startsWith(prefix)),

    // The tests of the extension use their own catalog.
    publishable: async () => ({ skills: [], more: false }),
    publishableAt: async () => undefined,
    completeUri: async () => [],

    async summary() {
      return {
        skills: skills.length,
        references: 0,
        sources: [{ name: 'fake', skills: skills.length }],
        themes: [],
        languages: [],
        generation: 1,
        ...summary,
      };
    },

    onChange: () => () => {},
  };
}

const nameOf = ({ id, name }: FakeSkill) => name ?? id.split('/').at(-1) ?? id;
const uriOf = ({ id }: FakeSkill) => `skill://fake/${encodeURI(id)}/SKILL.md`;

function entryOf(skill: FakeSkill): CatalogEntry {
  const files = filesOf(skill);
  return {
    id: skill.id,
    source: 'fake',
    uri: uriOf(skill),
    folder: `/skills/${skill.id}`,
    file: 'SKILL.md',
    name: nameOf(skill),
    description: skill.description,
    tags: skill.tags ?? [],
    allowedTools: [],
    mcpTools: [],
    strict: true,
    digest: '0'.repeat(64),
    scripts: files.filter(({ kind }) => kind === 'script').map(({ path }) => path),
    references: files.filter(({ kind }) => kind === 'reference').map(({ path }) => path),
  };
}

function filesOf({ files }: FakeSkill): LoadedFile[] {
  return Object.entries(files).map(([path, text]) => ({
    path,
    size: text.length,
    mimeType: 'text/plain',
    kind:
      path === 'SKILL.md'
        ? 'skill'
        : path.startsWith('scripts/')
          ? 'script'
          : path.startsWith('references/')
            ? 'reference'
            : 'asset',
  }));
}

/** Share of the words in the skill, and the first line with one of them in each file. */
function hitOf(skill: FakeSkill, words: readonly string[]): FoundSkill {
  const everything = `${skill.id} ${skill.description} ${Object.values(skill.files).join(' ')}`.toLowerCase();
  const evidence = Object.entries(skill.files).flatMap(([path, text]) => {
    const at = text.split('\n').findIndex((line) => words.some((word) => line.toLowerCase().includes(word)));
    if (at === -1) return [];
    const excerpt = (text.split('\n')[at] ?? '').slice(0, 200);
    const terms = words.filter((word) => excerpt.toLowerCase().includes(word));
    return [{ path, heading: ['Guide', 'Steps'], lines: [at + 1, at + 1] as const, excerpt, terms }];
  });
  const score = words.filter((word) => everything.includes(word)).length / Math.max(1, words.length);
  return { rank: 0, entry: entryOf(skill), shortId: skill.id, score, evidence, twins: skill.twins ?? [] };
}

function slice(lines: readonly string[], from: number, to: number, maxTokens: number): TextSlice {
  let end = from - 1;
  for (let used = 0; end < to; end += 1) {
    used += Math.ceil((lines[end]?.length ?? 0) / CHARACTERS) + 1;
    if (used > maxTokens && end >= from) break;
  }
  const text = lines.slice(from - 1, end).join('\n');
  const truncated = end < to;
  return {
    text,
    lines: [from, end],
    lineCount: lines.length,
    truncated,
    ...(truncated && { continueAt: end + 1 }),
  };
}

/** A small catalog: a long skill, one with files of each kind, two with the same name. */
export const SKILLS: readonly FakeSkill[] = [
  {
    id: 'documents/pdf-forms',
    description: 'Fill and flatten PDF forms.',
    tags: ['pdf'],
    twins: ['mirror/pdf-forms-copy'],
    files: {
      'SKILL.md':
        '---\nname: pdf-forms\n---\n# Guide\n\nOpen the form.\n\n## Steps\n\nFill each field.\n\n# Notes\n\nKeep a copy.',
      'references/fields.md': Array.from({ length: 100 }, (_, at) => `Line ${at + 1} on fields`).join('\n'),
      'scripts/fill.py': 'print("fill")',
      'assets/logo.png': 'PNG',
      'assets/font.ttf': 'font',
    },
  },
  {
    id: 'team-a/deploy',
    description: 'Deploy to the cluster of team A.',
    files: { 'SKILL.md': '---\n\n---\nApply it.' },
  },
  {
    id: 'team-b/deploy',
    description: 'Deploy to the cluster of team B.',
    files: { 'SKILL.md': '---\n\n---\nApply it.' },
  },
  {
    id: 'writing/long',
    name: 'Long Guide',
    description: 'A very long guide.',
    files: {
      'SKILL.md': `---\nname: x\n---\n${Array.from({ length: 2_000 }, (_, at) => `Sentence ${at + 4} of the guide.`).join('\n')}`,
    },
  },
];
