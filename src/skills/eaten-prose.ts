/**
 * Finds values of valid YAML of which YAML drops a part that its author meant as text: a channel or an issue after ` #`, a value
 * that begins with `!word` or `&word`. `yaml.ts` reads the text again with these values in quotes. What YAML refuses to read is
 * `repair.ts`.
 */

import { CST, Parser } from 'yaml';
import { cut } from '../base/text.ts';
import type { DiagnosticId } from './diagnostics.ts';

/** One value to quote: offsets in the text. */
interface Eaten {
  readonly from: number;
  readonly to: number;
  readonly id: Extract<DiagnosticId, 'yaml-comment' | 'yaml-quote'>;
  readonly message: string;
}

/** Cheap test, before the text is parsed once more. */
const SUSPECT = /(?:^|\s)#|[:-][ \t]+[!&]/m;

/** Keys whose values are prose: there a `#` is hardly ever a comment. */
const PROSE_KEY = /^["']?(?:description|when[_-]to[_-]use|title|summary)["']?$/i;
/** `#deployments`, `#4711`, but no reminder. */
const TAG = /^#(?![\s#!]|(?:TODO|FIXME|XXX|HACK|NOTE)\b)/;
/** A remark about the value: one `#`, a space, and a reminder. */
const REMINDER = /^#\s*(?:TODO|FIXME|XXX|HACK|NOTE)\b/;

/** In order of position; empty for text that YAML reads as it was meant. `text` is valid YAML. */
export function eatenProse(text: string): Eaten[] {
  if (!SUSPECT.test(text)) return [];
  const anchorsInUse = new Set(text.match(/(?<=[\s[{,]\*)[^\s,[\]{}]+/g));
  const eaten: Eaten[] = [];
  for (const document of new Parser().parse(text)) {
    if (document.type !== 'document') continue;
    CST.visit(document, (item) => {
      const value = eatenValue(item, text, anchorsInUse);
      if (value !== null) eaten.push(value);
    });
  }
  return eaten.toSorted((a, b) => a.from - b.from);
}

/** The text with these values in single quotes, in which YAML folds lines as in plain text. */
export function quoteValues(text: string, values: readonly Eaten[]): string {
  let quoted = '';
  let at = 0;
  for (const { from, to } of values) {
    quoted += `${text.slice(at, from)}'${text.slice(from, to).replaceAll("'", "''")}'`;
    at = to;
  }
  return quoted + text.slice(at);
}

function eatenValue(item: CST.CollectionItem, text: string, anchorsInUse: ReadonlySet<string>): Eaten | null {
  const { key, value } = item;
  const scalar = value?.type === 'scalar' ? value : null;
  if (value && scalar === null) return null;
  const before = onOneLine(item.sep ?? item.start);
  const property = before.find(({ type }) => type === 'tag' || type === 'anchor');
  const comment = [...before, ...onOneLine(scalar?.end ?? [])].find(({ type }) => type === 'comment');
  const isProse = key?.type === 'scalar' && PROSE_KEY.test(key.source);
  const isEaten = comment !== undefined && isMeant(comment, { text, isProse, isAll: scalar === null });
  const end = isEaten ? comment.offset + comment.source.trimEnd().length : scalarEnd(scalar);
  if (
    property !== undefined &&
    scalar !== null &&
    (isProse || /\s/.test(scalar.source)) &&
    !isSyntax(property.source, anchorsInUse)
  ) {
    const message = `The value begins with \`${property.source}\`, which YAML does not read as text.`;
    return { from: property.offset, to: end, id: 'yaml-quote', message };
  }
  if (!isEaten) return null;
  const message = `The value is cut at \`#\`: YAML takes ${JSON.stringify(cut(comment.source, 60))} for a comment.`;
  return { from: scalar?.offset ?? comment.offset, to: end, id: 'yaml-comment', message };
}

interface Where {
  readonly text: string;
  readonly isProse: boolean;
  /** Whether nothing is left of the value without the comment. */
  readonly isAll: boolean;
}

/** Whether the author meant a comment as text. */
function isMeant({ source, offset }: CST.SourceToken, { text, isProse, isAll }: Where): boolean {
  if (TAG.test(source)) return true;
  if (!isProse || REMINDER.test(source) || isAll) return false;
  // Two spaces, or the end of a sentence, set a remark apart.
  return !/(?:[ \t]{2}|[.!?。][ \t])$/.test(text.slice(Math.max(0, offset - 2), offset));
}

/** A type that YAML knows, or an anchor that an alias uses. */
const isSyntax = (source: string, anchorsInUse: ReadonlySet<string>) =>
  source.startsWith('!!') || (source.startsWith('&') && anchorsInUse.has(source.slice(1)));

function onOneLine(tokens: readonly CST.SourceToken[]): readonly CST.SourceToken[] {
  const newline = tokens.findIndex(({ type }) => type === 'newline');
  return newline === -1 ? tokens : tokens.slice(0, newline);
}

const scalarEnd = (scalar: CST.FlowScalar | null) =>
  scalar === null ? 0 : scalar.offset + scalar.source.length;
