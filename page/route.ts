/**
 * What the address holds: a view, what it is about, and its parameters, as in `#/skill/team/csv-cleaning?file=notes.md`. The
 * only store of it: back, forward, reload and bookmarks work as expected, and the way back to a view leads to where it was.
 */

import { computed, effect, signal } from '@preact/signals';
import { takeToken } from './token.ts';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  // A new address that was pasted into this tab holds a token: it is taken before anything else sees it.
  if (takeToken()) location.reload();
  hash.value = location.hash;
});

const parts = computed(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?');
  const [name = '', ...rest] = path.split('/');
  return { name: name || 'explore', subject: rest.map(decoded).join('/'), query };
});

export const view = computed(() => parts.value.name);
/** What follows the view: a skill's id. */
export const subject = computed(() => parts.value.subject);
export const parameters = computed(() => new URLSearchParams(parts.value.query));

type Values = Readonly<Record<string, string | undefined>>;

export function formatAddress(name: string, values: Values = {}, about = ''): string {
  const query = new URLSearchParams();
  for (const [key, value = ''] of Object.entries(values)) if (value !== '') query.set(key, value);
  const path = [name, ...(about === '' ? [] : about.split('/').map(encodeURIComponent))].join('/');
  return `#/${path}${query.size === 0 ? '' : `?${query}`}`;
}

/** A skill's page; with a file of it, and lines that are lit. */
export const skillAddress = (
  id: string,
  file?: string,
  lines?: readonly [from: number, to: number],
): string => formatAddress('skill', { file, lines: lines?.join('-') }, id);

/** Changes the address without a new entry in the history. */
function replaceAddress(address: string): void {
  history.replaceState(null, '', address);
  hash.value = location.hash;
}

/** Changes some parameters, as while someone types; an empty value removes one. */
export function replaceParameters(values: Values): void {
  const { name, subject: about } = parts.peek();
  replaceAddress(formatAddress(name, { ...Object.fromEntries(parameters.peek()), ...values }, about));
}

const LAST = 'skillgate-last';
const last = signal<Values>(JSON.parse(sessionStorage.getItem(LAST) ?? '{}'));
effect(() => {
  last.value = { ...last.peek(), [view.value]: hash.value };
  sessionStorage.setItem(LAST, JSON.stringify(last.peek()));
});

/** Where a view was when it was left. */
export const lastAddress = (name: string): string => last.value[name] || formatAddress(name);

/** What its address said then, or says now. */
export const lastParameters = (name: string): URLSearchParams =>
  new URLSearchParams(lastAddress(name).split('?')[1] ?? '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
