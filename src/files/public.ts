/** Files as they are opened and read by every room: what is opened is what was checked, and nothing waits. */

export { FileError } from './errors.ts';
export { type HeldFolder, holdFolder } from './folder.ts';
export { openBelow, openRegular } from './open.ts';
export { readBelow, readRegular, readRegularSync } from './read.ts';
