/** Diagnostics in the formats of code hosts: SARIF 2.1.0, workflow commands of GitHub Actions and their job summary. */

import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Diagnostic, Severity } from '../../src/app/extension-api.ts';
import { ruleMeaning } from '../../src/skills/diagnostics.ts';

/** A diagnostic and the file that it is about. */
export interface Located {
  /** Path from the working directory with `/`; absolute for files outside of it. */
  readonly file: string;
  /** Id of the skill; null for what concerns no single one. */
  readonly skill: string | null;
  readonly diagnostic: Diagnostic;
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;
const formatMessage = ({ message, fix }: Diagnostic) => (fix === undefined ? message : `${message} ${fix}`);

/**
 * A log with one run (OASIS SARIF 2.1.0). The fingerprint of a result does not depend on its line, so a code host knows it
 * again after other lines were added.
 */
export function toSarif(
  found: readonly Located[],
  tool: { readonly version: string; readonly url: string },
): object {
  const ids = [...new Set(found.map(({ diagnostic }) => diagnostic.id))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'skillgate',
            version: tool.version,
            informationUri: tool.url,
            rules: ids.map((id) => ({
              id,
              shortDescription: { text: ruleMeaning(id) },
              helpUri: helpUrl(id, tool.url),
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: found.map(({ file, skill, diagnostic }) => ({
          ruleId: diagnostic.id,
          ruleIndex: ids.indexOf(diagnostic.id),
          level: LEVELS[diagnostic.severity],
          message: { text: formatMessage(diagnostic) },
          locations: [
            { physicalLocation: { artifactLocation: { uri: fileUri(file) }, ...toRegion(diagnostic) } },
          ],
          partialFingerprints: {
            'skillgate/v1': createHash('sha256')
              .update([skill, file, diagnostic.id, diagnostic.message].join('\0'))
              .digest('hex'),
          },
        })),
      },
    ],
  };
}

/** One line for each, which GitHub Actions shows at the line of the file: `::error file=a/SKILL.md,line=3::…`. */
export function toGithub(found: readonly Located[]): string[] {
  return found.map(({ file, diagnostic }) => {
    const { severity, id, position } = diagnostic;
    const level = { error: 'error', warning: 'warning', info: 'notice' }[severity];
    const line = position === undefined ? '' : `,line=${position.line},col=${position.column}`;
    return `::${level} file=${escapedProperty(file)}${line},title=${escapedProperty(id)}::${escaped(formatMessage(diagnostic))}`;
  });
}

/** How often a rule was broken, the worst and most frequent first. */
export interface RuleCount {
  readonly id: string;
  readonly severity: Severity;
  readonly found: number;
  /** The first place. */
  readonly first: Located;
}

export function countsByRule(found: readonly Located[]): RuleCount[] {
  const groups = new Map<string, Located[]>();
  for (const each of found) {
    const key = `${each.diagnostic.severity} ${each.diagnostic.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()]
    .map((group) => {
      const { id, severity } = group[0]!.diagnostic;
      return { id, severity, found: group.length, first: group[0]! };
    })
    .sort((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity) || b.found - a.found);
}

export const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'info'];

/** For the page of a job: the sentence that sums up, and a table of the rules. */
export function toMarkdown(sentence: string, found: readonly Located[], url: string): string {
  const rows = countsByRule(found).map(({ id, severity, found: times, first }) => {
    const { line } = first.diagnostic.position ?? {};
    const place = `${first.file}${line === undefined ? '' : `:${line}`}`.replace(
      /[|`\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      ' ',
    );
    return `| [${id}](${helpUrl(id, url)}) | ${severity} | ${times} | \`${place}\` |\n`;
  });
  const table =
    rows.length === 0 ? '' : `\n| rule | severity | found | first |\n|---|---|---|---|\n${rows.join('')}`;
  return `### skillgate validate\n\n${sentence}\n${table}`;
}

const helpUrl = (id: string, url: string) => `${url}/blob/main/docs/diagnostics.md#${id}`;

const fileUri = (file: string) =>
  isAbsolute(file) ? pathToFileURL(file).href : file.split('/').map(encodeURIComponent).join('/');

const toRegion = ({ position }: Diagnostic) =>
  position === undefined ? {} : { region: { startLine: position.line, startColumn: position.column } };

const escaped = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const escapedProperty = (text: string) => escaped(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
