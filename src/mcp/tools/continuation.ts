/** The call that reads the rest of a text that was cut. */

import * as z from 'zod';
import type { TextSlice } from '../../gateway/gateway.ts';
import { quote } from '../text.ts';

export const continuationSchema = z.looseObject({}).describe('The call that reads the rest');

interface Continuation {
  readonly [field: string]: unknown;
  readonly tool: 'read_reference';
  readonly arguments: { readonly skill: string; readonly path: string; readonly lines: string };
}

/** Undefined if nothing was cut, or if a single line is too long, so that only a larger budget helps. */
export function continuation(skill: string, path: string, slice: TextSlice): Continuation | undefined {
  if (slice.continueAt === undefined) return undefined;
  return {
    tool: 'read_reference',
    arguments: { skill, path, lines: `${slice.continueAt}-${slice.lineCount}` },
  };
}

export const continuationText = ({ arguments: { skill, path, lines } }: Continuation) =>
  `Go on with read_reference(skill=${quote(skill)}, path=${quote(path)}, lines="${lines}").`;
