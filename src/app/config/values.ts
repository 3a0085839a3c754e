/** Kinds of values that settings of several sections have. */

import * as z from 'zod';

/** `500ms`, `30s`, `15m`, `6h`, `7d`. */
export const duration = z
  .string()
  .regex(/^\d{1,9}(ms|s|m|h|d)$/, 'takes a whole number with a unit: 30s, 15m, 6h, 7d')
  .meta({ description: 'A length of time: 500ms, 30s, 15m, 6h, 7d' });
/** `64KiB`, `16MiB`, `2GiB`, or bytes. */
export const size = z
  .union([z.int().min(0), z.string().regex(/^\d{1,9}(B|KiB|MiB|GiB)$/, 'takes bytes or a unit: 16MiB')])
  .meta({ description: 'Bytes, or with a unit: 64KiB, 16MiB, 2GiB' });
/** The name of an environment variable: the file holds no secrets. */
export const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'names an environment variable');
/** The patterns of `policy/patterns.ts`: no `!`, and `**` only as a whole path segment. */
export const glob = z
  .string()
  .min(1)
  .regex(
    /^(?!(?:scope:)?!)(?!.*[^/]\*\*)(?!.*\*\*[^/])/s,
    'takes * and, alone between slashes, **; deny excludes, "!" does not',
  )
  .meta({ description: 'An id or a pattern with * and **' });
