import { lstatSync, realpathSync } from 'node:fs';

/** The path without links; null where it does not exist or cannot be read. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Whether there is nothing at the path: a link that leads nowhere is something. */
export function isNothing(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch {
    return true;
  }
}
