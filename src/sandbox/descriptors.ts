/**
 * Descriptors that this process was started with and that every child would inherit: a pipe of whoever started it,
 * say. Node.js closes its own in children, and of these the first ones alone.
 */

import { readdirSync, readFileSync } from 'node:fs';

/** fcntl.h: O_CLOEXEC, as /proc shows it. */
const CLOSE_ON_EXEC = 0o2_000_000;

/** Numbers from `first` up that a child would get, in order. */
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
    // It was the one by which the list was read.
    return false;
  }
}
