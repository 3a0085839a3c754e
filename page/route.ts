/** The view and its parameters, kept in the address: `#/search?q=roll+back`. Back and forward work as expected. */

import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

const parts = computed(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?');
  return { path, parameters: new URLSearchParams(query) };
});

export const view = computed(() => parts.value.path || 'search');
export const parameters = computed(() => parts.value.parameters);

export const addressOf = (name: string, values: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return `#/${name}${query.size === 0 ? '' : `?${query}`}`;
};

/** Changes the parameters without a new entry in the history, as while somebody types. */
export function replaceParameters(values: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', addressOf(view.peek(), values));
  hash.value = location.hash;
}
