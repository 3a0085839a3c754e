/** Parses durations and sizes of the configuration. */

const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const BYTES = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

/** Milliseconds of a duration that passed the schema. */
export function milliseconds(text: string): number {
  const unit = text.replace(/^\d+/, '') as keyof typeof MS;
  return Number.parseInt(text, 10) * MS[unit];
}

/** Bytes of a size that passed the schema. */
export function bytes(value: number | string): number {
  if (typeof value === 'number') return value;
  const unit = value.replace(/^\d+/, '') as keyof typeof BYTES;
  return Number.parseInt(value, 10) * BYTES[unit];
}
