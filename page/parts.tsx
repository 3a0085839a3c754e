/** Small pieces that several views show. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Marked } from '../extensions/explore/api.ts';
import { skillAddress } from './route.ts';

const NUMBERS = new Intl.NumberFormat('en');

export const count = (value: number): string => NUMBERS.format(value);

const PLURALS: Readonly<Record<string, string>> = {
  query: 'queries',
  'marked query': 'marked queries',
  search: 'searches',
  'near copy': 'near copies',
};
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${value === 1 ? noun : (PLURALS[noun] ?? `${noun}s`)}`;

/** Text that others wrote: characters that hide or turn text become visible. Joiners are part of scripts and emoji. */
export const shown = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) =>
    '\n\t\r\u200c\u200d'.includes(sign)
      ? sign
      : `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Text that others wrote, whose direction turns nothing around it. */
export const Foreign = ({ text }: { text: string }) => <bdi>{shown(text)}</bdi>;

/** The same, with the words that match the query. */
export function MarkedText({ text }: { text: Marked }) {
  return (
    <bdi>
      {text.map(([piece, matches], at) => (matches ? <mark key={at}>{shown(piece)}</mark> : shown(piece)))}
    </bdi>
  );
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

/** Characters of a path's end that are always seen: where it is cut, it is cut before them. */
const TAIL = 14;

/** A skill's id, which leads to its page: its name in full strength, and the path before it cut in the middle. */
export function SkillId({ id }: { id: string }) {
  const at = id.lastIndexOf('/') + 1;
  const path = id.slice(0, at);
  return (
    <a class="id" href={skillAddress(id)} title={shown(id)} aria-label={shown(id)}>
      <bdi>
        {path !== '' && (
          <span class="path">
            <span>{shown(path.slice(0, -TAIL))}</span>
            <span>{shown(path.slice(-TAIL))}</span>
          </span>
        )}
        <b>{shown(id.slice(at))}</b>
      </bdi>
    </a>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      onClick={() =>
        navigator.clipboard?.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        )
      }
    >
      {copied ? 'Copied' : label}
    </button>
  );
}
