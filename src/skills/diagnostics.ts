/**
 * Every diagnostic that skills, catalog and passages can report: id, severity and meaning. The code that finds a
 * problem words its message and gives its position.
 *
 * An `error` loses content that could have been found; a `warning` was worked around, but other hosts may fail on
 * it; an `info` is advice for the author.
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
  'encoding-invalid': kind('warning', 'The file is not UTF-8; its encoding was guessed.'),
  'encoding-garbled': kind('warning', 'The text was decoded in a wrong encoding and saved.'),
  'encoding-nul': kind('warning', 'The file contains NUL bytes.'),
  'encoding-cr': kind('warning', 'Lines end with a lone carriage return.'),

  // Where the front matter is
  'frontmatter-missing': kind('error', 'There is no front matter: name and description are guessed.'),
  'frontmatter-unopened': kind('warning', 'The front matter lacks its opening `---`.'),
  'frontmatter-unclosed': kind('warning', 'The front matter lacks its closing `---`; its end was guessed.'),
  'frontmatter-not-first': kind('warning', 'There is text before the front matter.'),
  'frontmatter-leading-blank': kind('warning', 'There are blank lines before the front matter.'),
  'frontmatter-fence': kind('warning', 'A line that opens or closes the front matter is not exactly `---`.'),
  'frontmatter-language': kind('error', 'The front matter names a language other than YAML and is not read.'),
  'frontmatter-too-large': kind('error', 'The front matter is too large to be read as YAML.'),

  // The YAML in it
  'yaml-invalid': kind('error', 'The front matter is not YAML; only some lines were read.'),
  'yaml-not-a-mapping': kind('warning', 'The front matter is YAML, but not keys and values.'),
  'yaml-aliases': kind('error', 'Aliases in the front matter expand to too much and were ignored.'),
  'yaml-colon': kind('warning', 'An unquoted value contains `: `, which YAML reads as another key.'),
  'yaml-comment': kind('warning', 'A value has text after ` #`, which YAML takes for a comment.'),
  'yaml-block-text': kind('warning', 'Text follows `|` or `>` on the same line.'),
  'yaml-quote': kind('warning', 'A value starts like YAML syntax but is meant as text.'),
  'yaml-continuation': kind('warning', 'A value continues on a line that is not indented.'),
  'yaml-tab': kind('warning', 'A line is indented with tabs.'),
  'yaml-duplicate-key': kind('warning', 'A key occurs twice; the first one counts.'),
  'yaml-subset': kind(
    'info',
    'Valid YAML, but beyond the subset that the protocol’s own reader understands.',
  ),

  // The keys in it
  'name-missing': kind('warning', 'There is no name; the folder’s name is used.'),
  'name-type': kind('warning', 'The name is not a string.'),
  'name-format': kind('warning', 'The name is not lower-case letters, digits and single hyphens.'),
  'name-too-long': kind('warning', 'The name is longer than 64 characters.'),
  'name-folder': kind('warning', 'The name differs from the folder’s name.'),
  'description-missing': kind('warning', 'There is no description; the first paragraph is used.'),
  'description-type': kind('warning', 'The description is not a string.'),
  'description-too-long': kind('warning', 'The description is longer than 1,024 characters.'),
  'compatibility-invalid': kind('warning', 'Compatibility is not a string of 1 to 500 characters.'),
  'metadata-type': kind('warning', 'Metadata does not map strings to strings.'),
  'allowed-tools-type': kind('info', '`allowed-tools` is not a space-separated string.'),
  'tool-unknown': kind('warning', 'A tool name is invalid: no protocol allows it.'),
  'key-reserved': kind(
    'info',
    'A key has a prefix that the protocol reserves, but the protocol does not define it.',
  ),
  'key-unknown': kind(
    'info',
    'There are keys that are not part of the specification; hosts may ignore them.',
  ),
  'skill-disabled': kind('info', 'The author disabled the skill; it is not indexed.'),

  // The rest of the skill file
  'file-name': kind('warning', 'The file name is not SKILL.md in capitals; some hosts do not find it.'),
  'skill-empty': kind('error', 'The skill file is empty.'),
  'skill-binary': kind('error', 'The skill file is not text.'),
  'lfs-pointer': kind('error', 'Git LFS did not fetch the file: only a pointer to it is there.'),
  'body-empty': kind('warning', 'There are no instructions below the front matter.'),
  'body-long': kind('info', 'The instructions are longer than 500 lines; move details to references.'),

  // What `validate` checks across the files of a skill, and across skills
  'description-vague': kind('warning', 'The description names no subject and fits almost any request.'),
  'description-collides': kind(
    'info',
    'An agent can hardly tell the skill from another one by name and description.',
  ),
  'when-missing': kind('info', 'The description does not say when to use the skill.'),
  'tool-unlisted': kind('info', 'No known host has a tool of this name.'),
  'host-refuses': kind('warning', 'Some host does not load the skill.'),
  'link-dead': kind('warning', 'A link leads to no file of the skill.'),
  'mention-dead': kind('warning', 'The text names a file that the skill does not have.'),
  'link-anchor': kind('warning', 'A link names a heading that its file does not have.'),
  'link-leaves': kind('info', 'A link leads out of the skill.'),
  'file-unmentioned': kind('info', 'No text of the skill mentions a reference or script.'),
  'rule-unknown': kind('error', 'A `skillgate-disable` comment names a rule that does not exist.'),
  'secret-found': kind('warning', 'A file holds what looks like a key, token or password.'),

  // What the scan for attacks marks in the skill file and in references
  suspicious: kind(
    'warning',
    'The text looks like an attack on the agent that follows it, or contains an example of one.',
  ),

  // The catalog
  'root-missing': kind('error', 'The directory does not exist.'),
  'root-not-a-directory': kind('error', 'The path is not a directory.'),
  'folder-unreadable': kind('error', 'A directory cannot be listed.'),
  'folder-too-deep': kind('warning', 'Directories below the depth limit were not scanned.'),
  'folders-without-skills': kind(
    'info',
    'Very many directories contain no skill; every check lists each of them.',
  ),
  'file-unreadable': kind('error', 'A file cannot be read.'),
  'skill-file-special': kind('error', 'A directory, FIFO, socket or device has the name of a skill file.'),
  'link-broken': kind('warning', 'A symbolic link is broken.'),
  'link-outside': kind('warning', 'A symbolic link leaves the directory and was not followed.'),
  'link-forbidden': kind('warning', 'A symbolic link was not followed: links is "none" for its source.'),
  'link-loop': kind('info', 'A symbolic link points to a directory that is scanned already.'),
  'files-too-many': kind('warning', 'A skill has more files than are listed.'),
  'files-unpublished': kind(
    'info',
    'A skill has more files than the Skills extension passes on; only the tools reach it.',
  ),
  'id-collision': kind('info', 'Several sources have a skill with this id; the source is added to each id.'),
  'plugin-layout': kind(
    'warning',
    'A plugin names skills that are missing, or in a way that is not understood.',
  ),
  'source-repeated': kind(
    'info',
    'A directory was given twice, or is inside another; each skill counts once.',
  ),

  // Fetched sources
  'source-unfetched': kind('error', 'The source has not been fetched yet; it has no skills yet.'),
  'source-stale': kind('warning', 'The last fetch failed; the skills are those of an earlier one.'),
  'entry-name': kind('warning', 'A file’s name is not valid on every system; the file was left out.'),
  'entry-special': kind('warning', 'A link or special file was left out.'),
  'entry-submodule': kind('warning', 'A submodule of a repository was not fetched.'),
  'entry-collision': kind('warning', 'Two names differ only in case or accents; one file was left out.'),
  'entry-failed': kind(
    'error',
    'A skill of an index could not be fetched, or its digest differs from the index’s.',
  ),
  'entry-unknown': kind('warning', 'An index lists an entry of an unknown type; it was left out.'),
  'entries-more': kind('warning', 'More entries were left out than are listed.'),

  // Skills of other MCP servers
  'skill-refused': kind('error', 'A skill of another server failed a check; its previous version is kept.'),
  'skill-read-ahead': kind(
    'info',
    'A server’s list says too little of a skill; its skill file was read ahead.',
  ),

  // What is indexed of a skill
  'file-too-large': kind('warning', 'A file is over the size limit and is not indexed.'),
  'file-binary': kind('info', 'A file has a text extension but binary content; it is not indexed.'),
  'reference-cut': kind('warning', 'Only the beginning of a reference is indexed.'),
  'request-excluded': kind('warning', 'The description says that the skill is not for one of its requests.'),
  'requests-unreadable': kind('warning', 'Requests in evals/, or of the user’s agent, cannot be read.'),
  'requests-refused': kind('warning', '`requests add` would refuse requests of the user’s agent now.'),
  'requests-suspicious': kind('warning', 'Requests that read like an attack on an agent are not indexed.'),
  'requests-too-many': kind('info', 'The skill has more requests than are indexed.'),
  'passages-too-many': kind('warning', 'The skill has more passages than are indexed.'),
} as const satisfies Record<string, Kind>;

export type DiagnosticId = keyof typeof DIAGNOSTICS;

export const isRule = (id: string): id is DiagnosticId => Object.hasOwn(DIAGNOSTICS, id);

/** What a diagnostic means; the id itself where it is unknown. */
export const ruleMeaning = (id: string): string => (isRule(id) ? DIAGNOSTICS[id].meaning : id);

/** Creates a diagnostic of a listed kind. `fix` and `position` are absent if they are undefined. */
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
    fix,
    path,
    ...(line === undefined ? {} : { position: { line, column } }),
  };
}
