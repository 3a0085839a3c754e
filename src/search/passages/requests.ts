/** The requests of a skill as passages: each on one line, bounded in number and length, none that gives orders to an agent. */

import type { Passage } from '../../../index/passage.ts';
import { diagnose } from '../../skills/diagnostics.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import { findSuspicions } from '../../skills/suspicion.ts';

/** Most requests of one skill that are indexed. Authors of a public catalog write eight at most. */
const MAX_REQUESTS = 16;
/** Longer requests are cut, in characters: what is asked for is at the beginning. */
const MAX_CHARACTERS = 400;

/** A request, and the file of the skill that holds it. */
export interface PlacedRequest {
  readonly text: string;
  readonly path: string;
}

/** In the given order, each once, whatever its case. `path` is the skill file's: the place of diagnostics. */
export function requestPassages(
  requests: readonly PlacedRequest[],
  path: string,
): { readonly passages: readonly Passage[]; readonly diagnostics: readonly Diagnostic[] } {
  const unique = new Map<string, PlacedRequest>();
  for (const request of requests) {
    const key = request.text.toLowerCase();
    if (!unique.has(key)) unique.set(key, request);
  }
  const all = [...unique.values()];
  const harmless = all.filter((request) => findSuspicions(request.text, request.path).length === 0);
  const diagnostics: Diagnostic[] = [];
  const refused = all.length - harmless.length;
  if (refused > 0) {
    const message = `${refused} of ${all.length} requests read like an attack on the agent; they are not indexed.`;
    const fix = 'Write what a person would ask for.';
    diagnostics.push(diagnose('requests-suspicious', path, message, { fix }));
  }
  if (harmless.length > MAX_REQUESTS) {
    const message = `The skill has ${harmless.length} requests; ${MAX_REQUESTS} are indexed.`;
    const fix = 'Put those first that differ most from the description and from one another.';
    diagnostics.push(diagnose('requests-too-many', path, message, { fix }));
  }
  const passages = harmless.slice(0, MAX_REQUESTS).map(
    (request): Passage => ({
      kind: 'request',
      path: request.path,
      heading: [],
      lines: [1, 1],
      title: '',
      text: request.text.slice(0, MAX_CHARACTERS).toWellFormed(),
    }),
  );
  return { passages, diagnostics };
}
