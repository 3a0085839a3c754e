/**
 * What a skill is: SKILL.md → `Skill`, with diagnostics.
 *
 * Parsing is tolerant: broken front matter is repaired, or salvaged line by line, and whatever has usable text can be searched.
 * `strict.ts` says whether the specification's validator accepts a skill. Front matter is YAML only; engines that evaluate code
 * refuse. Sections come from markdown-it's block rules, so a `#` in fenced code is not a heading.
 */

export { containedPath } from './containment.ts';
export { decodeText } from './decode.ts';
export { decoded } from './decoded.ts';
export { DIAGNOSTICS, type DiagnosticId, diagnose, meaningOf } from './diagnostics.ts';
export { type DigestedFile, digestFiles, sha256InTurns, sha256Of } from './digest.ts';
export { fileKind, isMarkdown } from './files.ts';
export { fixedText } from './fix.ts';
export { mimeTypeOf } from './media-types.ts';
export { needsOf } from './needs.ts';
export { parseSkill } from './parse.ts';
export { sectionsOf } from './sections.ts';
export { type ServedSkillFile, servedName, servedSkillFile } from './served.ts';
export type { Diagnostic, FileKind, Section, Skill, SkillFile } from './skill.ts';
export { type Finding, type Mark, SUSPICIONS, suspicionsOf, warningOf } from './suspicion.ts';
export { readYaml } from './yaml.ts';
