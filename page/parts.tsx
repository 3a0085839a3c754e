/** Small pieces that several views show. */

import type { ComponentChildren } from 'preact';
import type { Marked } from '../extensions/explore/api.ts';

const NUMBERS = new Intl.NumberFormat('en');

export const count = (value: number): string => NUMBERS.format(value);
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Text with the words that match the query. */
export function MarkedText({ text }: { text: Marked }) {
  return <>{text.map(([piece, matches], at) => (matches ? <mark key={at}>{piece}</mark> : piece))}</>;
}

/** A probability as a bar with its number. */
export function Meter({ label, value, hint }: { label: string; value: number; hint: string }) {
  const percent = Math.round(100 * value);
  return (
    <div class="meter" title={hint}>
      <span class="meter-label">{label}</span>
      <span class="meter-bar" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      <span class="meter-value">{value.toFixed(2)}</span>
    </div>
  );
}

/** What went wrong, said to screen readers at once. */
export function Problem({ children }: { children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

/** A skill's id with its last part, the name that people look for, in full strength. */
export function SkillId({ id }: { id: string }) {
  const at = id.lastIndexOf('/') + 1;
  return (
    <code class="id" title={id}>
      {at > 0 && <span>{id.slice(0, at)}</span>}
      {id.slice(at)}
    </code>
  );
}
