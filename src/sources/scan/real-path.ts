import { lstatSync, realpathSync } from 'node:fs';

/** The path without links; null if it does not exist or cannot be read. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** True if nothing is at the path. A broken link is something. */
export function isNothing(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch {
    return true;
  }
}
