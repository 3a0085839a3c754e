/** Follows the server: whether it answers, and the catalog as it changes. Views ask again when it has changed. */

import { computed, signal } from '@preact/signals';
import type { Overview } from '../extensions/explore/api.ts';
import { call, tokenWanted, Unreachable } from './client.ts';

/** How often the page looks, ms: on this machine, and at a server that others use too. */
const LOCAL_MS = 1_500;
const REMOTE_MS = 15_000;
/** While the server makes its first index, or does not answer. */
const SOON_MS = 700;

/** The catalog; null until it is known. */
export const overview = signal<Overview | null>(null);
/** How far the server's first index is, 0–1; null where there is one. */
export const firstIndex = signal<number | null>(null);
export const isReachable = signal(true);

const connections = signal(0);
/** Changes when every answer may have changed: with the catalog, and when the server is back. */
export const version = computed(() => `${connections.value} ${overview.value?.content ?? ''}`);

let timer: ReturnType<typeof setTimeout>;

/** Looks now, and from then on. */
export async function follow(): Promise<void> {
  clearTimeout(timer);
  timer = setTimeout(follow, await look());
}

/** How long to wait before the next look, ms. */
async function look(): Promise<number> {
  // A tab that nobody sees asks nothing.
  if (document.hidden && overview.peek() !== null) return LOCAL_MS;
  try {
    const answer = await call('overview', {});
    if (!isReachable.peek()) connections.value += 1;
    isReachable.value = true;
    firstIndex.value = answer.state === 'working' ? answer.share : null;
    if (answer.state !== 'done') return SOON_MS;
    if (JSON.stringify(answer.result) !== JSON.stringify(overview.peek())) overview.value = answer.result;
    return answer.result.principal === 'local' ? LOCAL_MS : REMOTE_MS;
  } catch (error) {
    isReachable.value = !(error instanceof Unreachable);
    return tokenWanted.peek() === null ? SOON_MS : REMOTE_MS;
  }
}
