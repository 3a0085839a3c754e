/** Checks requests that an agent wrote: lines of JSON of anyone's making. What is refused is named; the rest counts. */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { isRecord, parseJson } from '../../src/base/json.ts';
import { cut, quoted } from '../../src/base/text.ts';
import { shareElsewhere } from '../../src/search/cards.ts';
import { requestsAmong } from '../../src/skills/requests.ts';
import { findSuspicions } from '../../src/skills/suspicion.ts';
import type { SkillRow } from './skills.ts';

/** Requests of one skill. */
export const FEWEST = 3;
export const MOST = 8;
/** Characters of a request: a person asks for something, and describes no project. */
const SHORTEST = 4;
const LONGEST = 400;
/** Share of a request's words that the description has only where it says what the skill is not for, as for `validate`. */
const EXCLUDED_FROM = 0.5;
/** Reasons named of one line. */
const NAMED = 3;

/** What is known of a skill. */
interface Known extends Pick<SkillRow, 'key' | 'requests'> {
  readonly entry: Pick<SkillRow['entry'], 'id' | 'name' | 'description' | 'file'>;
}

export interface Checked<Row = SkillRow> {
  /** By skill, in the order of the lines; the last line of a skill counts. */
  readonly accepted: ReadonlyMap<Row, readonly string[]>;
  readonly refused: readonly { readonly line: number; readonly reason: string }[];
  /** What was left out of lines that count otherwise. */
  readonly notes: readonly { readonly line: number; readonly reason: string }[];
}

/** `rows`: all skills that there are. A line is `{"skill": id, "requests": […]}`. */
export function checkLines<Row extends Known>(text: string, rows: readonly Row[]): Checked<Row> {
  const byId = new Map(rows.flatMap((row) => [[row.key, row] as const, [row.entry.id, row] as const]));
  const owners = new Map(
    rows.flatMap((row) => row.requests.map((request) => [normalised(request), row.key])),
  );
  const accepted = new Map<Row, readonly string[]>();
  const refused: { line: number; reason: string }[] = [];
  const notes: typeof refused = [];
  for (const [at, written] of text.split('\n').entries()) {
    const line = at + 1;
    // A model often fences what it writes.
    if (written.trim() === '' || /^\s*```\w*\s*$/.test(written)) continue;
    const value = parseJson(written);
    if (!isRecord(value) || typeof value.skill !== 'string' || !Array.isArray(value.requests)) {
      refused.push({ line, reason: 'It is no JSON object with "skill" and a list of "requests".' });
      continue;
    }
    const row = byId.get(value.skill);
    if (row === undefined) {
      refused.push({ line, reason: `There is no skill ${quoted(value.skill)}.` });
      continue;
    }
    const { kept, faults } = checkRequests(requestsAmong(value.requests), row, owners);
    const reasons = faults.slice(0, NAMED).join(' ');
    const more = faults.length > NAMED ? ` And ${faults.length - NAMED} more.` : '';
    if (kept.length < FEWEST) {
      const reason = `${quoted(row.entry.id)} has ${kept.length} usable requests; write ${FEWEST} to ${MOST}. ${reasons}${more}`;
      refused.push({ line, reason: reason.trim() });
      continue;
    }
    if (faults.length > 0) notes.push({ line, reason: `${quoted(row.entry.id)}: ${reasons}${more}` });
    accepted.delete(row);
    accepted.set(row, kept);
    for (const request of kept) owners.set(normalised(request), row.key);
  }
  return { accepted, refused, notes };
}

function checkRequests(
  requests: readonly string[],
  row: Known,
  owners: ReadonlyMap<string, string>,
): { readonly kept: readonly string[]; readonly faults: readonly string[] } {
  const kept = new Map<string, string>();
  const faults: string[] = [];
  for (const request of requests) {
    const key = normalised(request);
    const fault = faultOf(request, row, owners.get(key));
    if (fault !== null) faults.push(`${quoted(cut(request, 60))} ${fault}.`);
    else if (!kept.has(key)) kept.set(key, request);
  }
  const all = [...kept.values()];
  if (all.length > MOST) faults.push(`${all.length} requests pass; the first ${MOST} count.`);
  return { kept: all.slice(0, MOST), faults };
}

function faultOf(request: string, { entry, key }: Known, owner: string | undefined): string | null {
  if (request.length < SHORTEST) return 'is too short';
  if (request.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (namesSkill(request, entry.name)) return 'holds the name of the skill';
  if (owner !== undefined && owner !== key) return `is a request of ${quoted(owner)}`;
  if (isExcluded(request, entry)) return 'is what the description says the skill is not for';
  if (findSuspicions(request, entry.file).length > 0) return 'reads like an attack on the agent';
  return null;
}

function isExcluded(request: string, skill: Known['entry']): boolean {
  const terms = Array.from(new Set(termsOf(request)), (term) => ({ term, weight: 1 }));
  return shareElsewhere({ terms, mass: terms.length }, skill) >= EXCLUDED_FROM;
}

/** `pdf` and `code-review` are also words of people: the identifier counts, and words before or after "skill". */
function namesSkill(request: string, name: string): boolean {
  const lower = request.toLowerCase();
  const identifier = name.toLowerCase();
  if (/[-_.:/]/.test(identifier) && lower.includes(identifier)) return true;
  const words = normalised(name);
  return (
    words !== '' &&
    ` ${normalised(request)} `.match(new RegExp(` (?:skill ${escaped(words)}|${escaped(words)} skill) `)) !==
      null
  );
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Equal for requests that differ only in case and marks. */
const normalised = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
