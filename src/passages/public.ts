/**
 * Skill → passages: one card, the body in chunks along its headings, reference documents in chunks, scripts by name and leading
 * comment. Each passage has file, heading path and line range. Sizes were chosen by measurement (`bench/TRIED.md`).
 */

export { cardFields, cardText } from './card.ts';
export { readDocument } from './document.ts';
export { readSkillFile } from './files.ts';
export { LANGUAGE_FACET, withLanguages } from './languages.ts';
export { PASSAGE_VERSION } from './version.ts';
