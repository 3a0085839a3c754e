/**
 * Draft A's methods in addition to the list: `skills/read`, `skills/read_reference` and `skills/execute`, on connections
 * of the older protocol revisions.
 */

import { basename, extname } from 'node:path';
import { type McpServer, ProtocolError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type {
  FileKind,
  Gateway,
  OlderHandlers,
  ScriptCall,
  ScriptTools,
} from '../../../src/app/extension-api.ts';
import { clip } from '../../../src/base/text.ts';
import { GatewayError, type LoadedFile, type LoadedSkill } from '../../../src/gateway/gateway.ts';
import { succeeded } from '../../../src/gateway/scripts.ts';
import {
  answering,
  EXECUTION_DISABLED,
  type Log,
  type OpenFor,
  type RequestContext,
} from '../../../src/mcp/errors.ts';
import { method } from '../../../src/mcp/older-methods.ts';
import type { SkillPublisher } from '../../../src/mcp/published-skills.ts';
import { readAnnotations } from './entry.ts';
import { draftError, SCRIPT_FAILED } from './errors.ts';
import { decodeStart, describedFiles, fileContents, loadAsWritten, publishedUris } from './files.ts';

export interface DraftServices {
  readonly gateway: OpenFor<Gateway>;
  readonly publisher: SkillPublisher;
  /** Undefined if scripts are not enabled. */
  readonly scripts: ScriptTools | undefined;
  readonly log: Log;
  /** Names in `tools/list`. */
  readonly tools: ReadonlySet<string>;
}

const nameSchema = z.string().min(1, 'must name a skill');

export function draftA(
  server: McpServer,
  { gateway, publisher, scripts, log }: DraftServices,
): OlderHandlers['methods'] {
  const answer = <Result>(name: string, ctx: RequestContext, work: (open: Gateway) => Promise<Result>) =>
    answering(gateway, (error) => draftError(error, name, log))(ctx, work);

  return {
    'skills/read': method('skills/read', z.object({ name: nameSchema }), ({ name }, ctx) =>
      answer(name, ctx, async (open) => ({
        skill: await toDraftSkill(open, await loadAsWritten(open, name)),
      })),
    ),

    'skills/read_reference': method(
      'skills/read_reference',
      z.object({ name: nameSchema, reference: z.string().min(1, 'must name a file') }),
      ({ name, reference }, ctx) =>
        answer(name, ctx, async (open) => {
          const found = await open.find({ skill: name });
          const path = referencePath(reference, found.files);
          const uri = (await publishedUris(found, open, publisher))(path);
          return { content: await fileContents(open, found.entry.id, path, uri) };
        }),
    ),

    'skills/execute': method(
      'skills/execute',
      z.object({
        name: nameSchema,
        script: z.string().min(1, 'must name a script'),
        arguments: z.unknown().optional(),
      }),
      ({ name, script, arguments: given }, ctx) =>
        answer(name, ctx, async (open) => {
          if (scripts !== undefined)
            return execute({ name, script, given, gateway: open, scripts, server, ctx });
          await open.find({ skill: name });
          return { content: [{ type: 'text', text: EXECUTION_DISABLED }], isError: true };
        }),
    ),
  };
}

/** Files of each kind that are opened for their descriptions. */
const DESCRIBED = 50;

async function toDraftSkill(gateway: Gateway, loaded: LoadedSkill) {
  const { entry, instructions, files, frontmatter } = loaded;
  const onDisk = await gateway.publishableAt(entry.uri);
  const [label] = await gateway.labels([entry]);
  const given = describedFiles(frontmatter);
  const described = async ({ path }: LoadedFile, at: number) => {
    const written = given.get(path)?.description;
    if (written !== undefined) return { name: basename(path), description: written, path };
    const bytes = at < DESCRIBED ? await onDisk?.bytes(path).catch(() => undefined) : undefined;
    const description = bytes === undefined ? '' : firstWords(decodeStart(bytes, path));
    return { name: basename(path), description: description || path, path };
  };
  const listed = async (kind: FileKind) => {
    const found = files.filter((file) => file.kind === kind);
    return found.length === 0 ? undefined : Promise.all(found.map(described));
  };
  const metadata = {
    ...(frontmatter.metadata instanceof Object && frontmatter.metadata),
    ...(entry.license !== undefined && { license: entry.license }),
  };
  const scripts = await listed('script');
  const references = await listed('reference');
  const assets = await listed('asset');
  return {
    name: label?.name ?? entry.name,
    description: entry.description,
    instructions: instructions.text,
    annotations: readAnnotations(frontmatter, label?.modifiedAt),
    scripts,
    references,
    assets,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** A heading, a comment or a sentence: the first line with words, without what marks it. */
function firstWords(text: string): string {
  if (text.includes('\0')) return '';
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#!'))
    .map((line) => line.replace(/^[\s#/*<!>"'=;%-]+|[\s*"'>-]+$/g, ''));
  return clip(lines.find((line) => /\p{L}{2}/u.test(line)) ?? '', 200);
}

/**
 * The path of the file that `reference` names: a path, or a file name with or without extension. References are tried
 * before other files. Throws `PATH_UNKNOWN` if it names no file or several; `data.nearest` lists the choices.
 */
function referencePath(written: string, files: readonly LoadedFile[]): string {
  const reference = written.replace(/^(?:\.\/)+/, '');
  const others = files.filter(({ kind }) => kind !== 'skill');
  if (files.some(({ path }) => path === reference)) return reference;
  const references = others.filter(({ kind }) => kind === 'reference');
  const namings: ((path: string) => string)[] = [basename, (path) => basename(path, extname(path))];
  for (const pool of [references, others])
    for (const nameOf of namings) {
      const [first, ...more] = pool.filter(({ path }) => nameOf(path) === reference);
      if (first !== undefined && more.length === 0) return first.path;
      if (first !== undefined)
        throw new GatewayError('PATH_UNKNOWN', 'Several files have that name: give the path of one.', {
          data: {
            nearest: [first, ...more].map(({ path }) => path),
          },
        });
    }
  throw new GatewayError('PATH_UNKNOWN', 'The skill has no such reference.', {
    data: {
      nearest: (references.length > 0 ? references : others).slice(0, 20).map(({ path }) => path),
    },
  });
}

interface Execution extends Omit<ScriptCall, 'request'> {
  readonly name: string;
  readonly script: string;
  /** As the client sent it. */
  readonly given: unknown;
  readonly scripts: ScriptTools;
}

/** Throws -32003 for a script that failed; `data` holds name, script, exit code and the end of both outputs. */
async function execute({ name, script, given = {}, scripts, ...call }: Execution) {
  const { outcome, content, sentence, ends } = await scripts.runForDraft({
    ...call,
    request: { skill: name, script, input: { kind: 'named', values: readValues(given) } },
  });
  if (succeeded(outcome)) return { content, isError: false };
  throw new ProtocolError(SCRIPT_FAILED, sentence, {
    name,
    script: outcome.path,
    exitCode: outcome.exitCode,
    killedBy: outcome.killedBy,
    ...ends,
  });
}

function readValues(given: unknown): Readonly<Record<string, unknown>> {
  const { data } = z.record(z.string(), z.unknown()).safeParse(given);
  if (data === undefined) throw new GatewayError('SCRIPT_ARGUMENTS', '`arguments` must be an object.');
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}
