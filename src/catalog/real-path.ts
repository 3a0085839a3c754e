import { realpathSync } from 'node:fs';

/** The path without links; null where it does not exist or cannot be read. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
