/**
 * Files as every room opens and reads them.
 *
 * Anyone who can write into a folder can swap a file for a link between a check and a read. So the check comes after the opening: it
 * checks the descriptor, which no exchange changes, and the bytes are read from there. `openBelow` is for files of skills, where
 * links may lead only to files of the same skill; `openRegular` for files that the operator names, wherever links lead. Both
 * refuse what is not a regular file without waiting for it. `holdFolder` lists a directory that may not have become a link. What
 * each system guarantees is in `open.ts`. Which files are a skill's own is for the sources.
 */

export { FileError } from './errors.ts';
export { type HeldFolder, holdFolder } from './folder.ts';
export { openBelow } from './open.ts';
export { readBelow, readRegular, readRegularSync } from './read.ts';
