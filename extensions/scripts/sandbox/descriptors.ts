/**
 * Descriptors that this process inherited and that every child would inherit too, such as a pipe of its parent.
 * Node.js closes its own descriptors in children, but of inherited ones only the lowest.
 */

import { readdirSync, readFileSync } from 'node:fs';

/** fcntl.h: O_CLOEXEC, as /proc shows it. */
const CLOSE_ON_EXEC = 0o2_000_000;

/** Numbers, from `first` up, that a child would inherit, ascending. */
export function inheritedFrom(first: number): number[] {
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((number) => number >= first && isInherited(number))
    .sort((a, b) => a - b);
}

function isInherited(number: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the descriptor of the directory listing itself.
    return false;
  }
}
