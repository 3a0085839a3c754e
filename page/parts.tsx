/** Small pieces that several views show. */

import { diffWordsWithSpace } from 'diff';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Marked, SkillPage } from '../extensions/explore/api.ts';
import { skillAddress } from './route.ts';

const NUMBERS = new Intl.NumberFormat('en');

export const count = (value: number): string => NUMBERS.format(value);

const PLURALS: Readonly<Record<string, string>> = {
  query: 'queries',
  'near copy': 'near copies',
  'small thing': 'small things',
};
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${value === 1 ? noun : (PLURALS[noun] ?? `${noun}s`)}`;

/** Whether the key is one of an input method: Safari says so by the code of the key that ends the composition. */
export const isComposing = ({ isComposing, keyCode }: KeyboardEvent): boolean =>
  isComposing || keyCode === 229;

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

/** What went wrong, said to screen readers at once. */
export function Problem({ children }: { children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

/** Where a skill comes from: the first folder of its id, `owner/repository` where it names one; empty for an id without folders. */
export const originIn = (id: string): string =>
  id.includes('/')
    ? id.slice(0, id.indexOf('/')).replace('__', '/')
    : id.includes(':')
      ? id.slice(0, id.indexOf(':'))
      : '';

export const Origin = ({ id }: { id: string }) => (
  <span class="origin">
    <Foreign text={originIn(id)} />
  </span>
);

/** The last part of an id, which is the skill's name in most cases. */
export const lastPart = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

/** A skill's name, which leads to its page, and where it comes from. */
export const SkillId = ({ id }: { id: string }) => (
  <span class="id" title={shown(id)}>
    <a href={skillAddress(id)} aria-label={shown(id)}>
      <Foreign text={lastPart(id)} />
    </a>{' '}
    <Origin id={id} />
  </span>
);

export function CopyButton({ text, label, shortcut }: { text: string; label: string; shortcut?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      aria-keyshortcuts={shortcut}
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

/** How far something is that takes a while; nothing is known of it at 0. */
export function Progress({ label, share }: { label: string; share: number }) {
  return (
    <p class="progress quiet">
      {label} <progress aria-label={label} value={share || undefined} max={1} />
      {share > 0 && ` ${Math.round(100 * share)} %`}
    </p>
  );
}

/** A text with what `before` does not have, and what it has alone, unless `side` says that it is shown beside. */
export const Difference = ({ before, after, side = false }: DifferenceProperties) => (
  <bdi>
    {diffWordsWithSpace(before, after).map(({ value, removed, added }, at) =>
      removed ? !side && <del key={at}>{value}</del> : added ? <ins key={at}>{value}</ins> : value,
    )}
  </bdi>
);
interface DifferenceProperties {
  readonly before: string;
  readonly after: string;
  readonly side?: boolean;
}

interface RemarkProperties {
  readonly skill: string;
  readonly remark: SkillPage['remarks'][number];
}

/** What validation remarks, what to do about it, and a link to the place. */
export const RemarkLine = ({ skill, remark: { path, position, message, fix } }: RemarkProperties) => (
  <>
    <Foreign text={message} />{' '}
    {fix !== undefined && (
      <span class="good">
        <Foreign text={fix} />
      </span>
    )}{' '}
    <a href={skillAddress(skill, path, position && [position.line, position.line])}>
      Open <Foreign text={path} />
      {position && `:${position.line}`}
    </a>
  </>
);
