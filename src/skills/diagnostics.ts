/**
 * Every diagnostic that skills, catalog and passages can yield: its id, how grave it is and what it means.
 *
 * An `error` costs something that was there to be found; a `warning` was read around, but other hosts may not
 * manage it; an `info` is for the author's benefit. Wording and position of one finding are its finder's affair.
 */

import type { Diagnostic, Severity } from './skill.ts';

interface Kind {
  readonly severity: Severity;
  readonly meaning: string;
}

const kind = (severity: Severity, meaning: string): Kind => ({ severity, meaning });

export const DIAGNOSTICS = {
  // The bytes of a skill file
  'encoding-bom': kind('info', 'The file begins with a byte-order mark.'),
  'encoding-utf16': kind('warning', 'The file is UTF-16; hosts expect UTF-8.'),
  'encoding-invalid': kind('warning', 'Some bytes are not valid UTF-8 and were replaced by U+FFFD.'),
  'encoding-nul': kind('warning', 'The file holds NUL bytes.'),
  'encoding-cr': kind('warning', 'Lines end with a lone carriage return.'),

  // Where the front matter is
  'frontmatter-missing': kind('warning', 'There is no front matter: name and description are guessed.'),
  'frontmatter-unopened': kind('warning', 'The front matter lacks its opening `---`.'),
  'frontmatter-unclosed': kind('warning', 'The front matter lacks its closing `---`; its end was guessed.'),
  'frontmatter-not-first': kind(
    'warning',
    'Something other than blank lines stands before the front matter.',
  ),
  'frontmatter-leading-blank': kind('warning', 'Blank lines stand before the front matter.'),
  'frontmatter-fence': kind('warning', 'A line that opens or closes the front matter is more than `---`.'),
  'frontmatter-language': kind('error', 'The front matter names a language other than YAML and is not read.'),
  'frontmatter-too-large': kind('error', 'The front matter is too large to be read as YAML.'),

  // The YAML in it
  'yaml-invalid': kind('error', 'The front matter is not YAML; only some lines could be made out.'),
  'yaml-not-a-mapping': kind('warning', 'The front matter is YAML, but not keys and values.'),
  'yaml-aliases': kind('error', 'Aliases in the front matter expand to too much and were not followed.'),
  'yaml-colon': kind('warning', 'An unquoted value holds `: `, which YAML reads as a further key.'),
  'yaml-block-text': kind('warning', 'Text follows `|` or `>` on the same line.'),
  'yaml-quote': kind('warning', 'A value starts like YAML syntax but is meant as text.'),
  'yaml-continuation': kind('warning', 'A value goes on in a line that is not indented.'),
  'yaml-tab': kind('warning', 'A line is indented with tabs.'),
  'yaml-duplicate-key': kind('warning', 'A key occurs twice; the first one counts.'),
  'yaml-subset': kind(
    'info',
    'Valid YAML, but beyond the subset that the protocol’s own reader understands.',
  ),

  // The keys in it
  'name-missing': kind('warning', 'There is no name; the folder’s name stands in.'),
  'name-type': kind('warning', 'The name is not a string.'),
  'name-format': kind('warning', 'The name is not lower-case letters, digits and single hyphens.'),
  'name-too-long': kind('warning', 'The name is longer than 64 characters.'),
  'name-folder': kind('warning', 'The name differs from the folder’s name.'),
  'description-missing': kind('warning', 'There is no description; the first paragraph stands in.'),
  'description-type': kind('warning', 'The description is not a string.'),
  'description-too-long': kind('warning', 'The description is longer than 1,024 characters.'),
  'compatibility-invalid': kind('warning', 'Compatibility is not a string of 1 to 500 characters.'),
  'metadata-type': kind('warning', 'Metadata does not map strings to strings.'),
  'allowed-tools-type': kind('info', '`allowed-tools` is not a space-separated string.'),
  'tool-unknown': kind('warning', 'A tool is named that cannot exist: no protocol gives tools such a name.'),
  'key-unknown': kind(
    'info',
    'There are keys that are not part of the specification; hosts may ignore them.',
  ),
  'skill-disabled': kind('info', 'The author switched the skill off; it is not indexed.'),

  // The rest of the skill file
  'file-name': kind('warning', 'The file is not called SKILL.md in capitals; not every host finds it.'),
  'body-empty': kind('warning', 'There are no instructions below the front matter.'),
  'body-long': kind('info', 'The instructions are longer than 500 lines; the rest belongs into references.'),

  // What the scan marks in the skill file and in references
  suspicious: kind('warning', 'The text looks like an attack on whoever follows it, or shows one.'),

  // The catalog
  'root-missing': kind('error', 'The directory does not exist.'),
  'root-not-a-directory': kind('error', 'The path is not a directory.'),
  'folder-unreadable': kind('error', 'A directory cannot be listed.'),
  'folder-too-deep': kind('warning', 'Directories below the depth limit were not looked into.'),
  'folders-without-skills': kind(
    'info',
    'Very many directories hold no skill; each is listed at every check.',
  ),
  'file-unreadable': kind('error', 'A file cannot be read.'),
  'link-broken': kind('warning', 'A symbolic link leads nowhere.'),
  'link-outside': kind('warning', 'A symbolic link leaves the directory and was not followed.'),
  'link-loop': kind('info', 'A symbolic link leads to a directory that is scanned already.'),
  'files-too-many': kind('warning', 'A skill has more files than are listed.'),
  'id-collision': kind('info', 'Several sources hold a skill of this id; each is qualified by its source.'),
  'source-repeated': kind(
    'info',
    'A directory was given twice, or lies within another; each skill counts once.',
  ),

  // Sources that are fetched
  'source-unfetched': kind('error', 'The source has not been fetched yet; it has no skills to show.'),
  'source-stale': kind('warning', 'The last fetch failed; the skills are those of an earlier one.'),
  'entry-name': kind('warning', 'A file’s name cannot be kept on every system; the file was left out.'),
  'entry-special': kind('warning', 'A link, or what is neither file nor folder, was left out.'),
  'entry-collision': kind('warning', 'Two names differ in case or accents alone; one file was left out.'),
  'entry-failed': kind('error', 'A skill of an index could not be fetched or is not what the index says.'),
  'entry-unknown': kind('warning', 'An index lists something of a type that is not known; it was left out.'),
  'entries-more': kind('warning', 'More entries were left out than are told one by one.'),

  // Skills of other MCP servers
  'skill-refused': kind('error', 'A skill of another server failed a check; what was there before stays.'),

  // What is indexed of a skill
  'file-too-large': kind('warning', 'A file is over the size limit and is not indexed.'),
  'file-binary': kind('info', 'A file looks like text by its name but is not; it is not indexed.'),
  'reference-cut': kind('warning', 'Only the beginning of a reference is indexed.'),
  'passages-too-many': kind('warning', 'The skill has more passages than are indexed.'),
} as const satisfies Record<string, Kind>;

export type DiagnosticId = keyof typeof DIAGNOSTICS;

/** A diagnostic of a listed kind. `mend` and `position` are left out where they are undefined. */
export function diagnose(
  id: DiagnosticId,
  path: string,
  message: string,
  { fix, line, column = 1 }: { fix?: string; line?: number; column?: number } = {},
): Diagnostic {
  return {
    id,
    severity: DIAGNOSTICS[id].severity,
    message,
    ...(fix === undefined ? {} : { fix }),
    path,
    ...(line === undefined ? {} : { position: { line, column } }),
  };
}
