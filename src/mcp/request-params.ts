/**
 * The parameters of requests, checked before any method sees them: what fails is answered with -32602 and the member's name, on
 * stdio and over HTTP alike; so are paths with absurdly many segments. Also takes what some clients send for "none".
 */

import * as z from 'zod';
import { isRecord } from '../base/json.ts';

const text = z.string();
const uri = z.looseObject({ uri: text });
const page = z.looseObject({ cursor: text.optional() });
/** Lists that are answered whole: no cursor continues them. */
const wholeList = z.looseObject({
  cursor: z.undefined('is unknown: the list has one page, which a request without a cursor gets').optional(),
});

const PARAMS: Readonly<Record<string, z.ZodType>> = {
  initialize: z.looseObject({
    protocolVersion: text,
    capabilities: z.looseObject({}),
    clientInfo: z.looseObject({ name: text, version: text }),
  }),
  'tools/list': wholeList,
  'tools/call': z.looseObject({ name: text, arguments: z.looseObject({}).optional() }),
  'prompts/list': wholeList,
  'prompts/get': z.looseObject({ name: text, arguments: z.record(z.string(), text).optional() }),
  'resources/list': page,
  'resources/templates/list': wholeList,
  'resources/read': uri,
  'resources/subscribe': uri,
  'resources/unsubscribe': uri,
  'resources/directory/read': z.looseObject({ uri: text, ...wholeList.shape }),
  'skills/list': page,
  'completion/complete': z.looseObject({
    ref: z.looseObject({ type: text }),
    argument: z.looseObject({ name: text, value: text }),
  }),
};

/** What is wrong with a request, or with one of a batch; undefined if nothing is. */
export function paramsFault(message: unknown): string | undefined {
  if (Array.isArray(message)) return message.map(paramsFault).find((fault) => fault !== undefined);
  if (!isRecord(message) || typeof message.method !== 'string' || message.id === undefined) return undefined;
  // No request of the protocol, which the SDK says.
  if (message.params !== undefined && !isRecord(message.params)) return undefined;
  const schema = Object.hasOwn(PARAMS, message.method) ? PARAMS[message.method] : undefined;
  const error = schema?.safeParse(message.params ?? {}, { reportInput: true }).error;
  return error && describeFault(message.method, error);
}

/** The first fault of the parameters, which were parsed with `reportInput`, by the member's name. */
export function describeFault(method: string, { issues: [issue] }: z.ZodError): string {
  const member = issue?.path.join('.') ?? '';
  const what =
    issue?.code === 'invalid_type' && !issue.message.startsWith('is ') ? expected(issue) : issue?.message;
  return `${method}: ${member === '' ? 'params' : `\`${member}\``} ${what}.`;
}

function expected({ expected: type, input }: z.core.$ZodIssueInvalidType): string {
  const noun = type === 'record' ? 'object' : type;
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  return `must be ${article} ${noun}${input === undefined ? ', and is missing' : ''}`;
}

/** `null` and `[]` for "no parameters" and "no arguments" are taken as absent. */
export function withoutEmptyParams(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutEmptyParams);
  if (!isRecord(message) || typeof message.method !== 'string') return message;
  const { params, ...rest } = message;
  if (isNone(params)) return rest;
  if (!isRecord(params) || !('arguments' in params) || !isNone(params.arguments)) return message;
  const { arguments: _, ...others } = params;
  return { ...rest, params: others };
}

const isNone = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

/** Most segments: sources are searched to a depth of 12, and files of skills lie a few folders deeper. */
const MAX_SEGMENTS = 256;

/** The members that name a skill, a file or a script, of methods and of tools. Anything else may be any text. */
const NAMES = ['id', 'name', 'path', 'reference', 'script', 'skill', 'uri', 'value'];

/** What is wrong with a request or one of a batch; undefined if nothing is. */
export function longPathIn(message: unknown): string | undefined {
  if (Array.isArray(message)) return message.map(longPathIn).find((found) => found !== undefined);
  if (!isRecord(message) || !isRecord(message.params)) return undefined;
  const { params } = message;
  for (const part of [params, params.arguments, params.argument, params.ref].filter(isRecord))
    for (const member of NAMES) {
      const value = part[member];
      const segments = typeof value === 'string' ? countSegments(value) : 0;
      if (segments > MAX_SEGMENTS)
        return `\`${member}\` has ${segments} segments, and no path or URI here has more than ${MAX_SEGMENTS}. Use one that an answer gave.`;
    }
  return undefined;
}

function countSegments(path: string): number {
  let segments = 1;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) segments += 1;
  return segments;
}
