/**
 * Follows the server: whether it answers, the catalog as it changes, and what a view asks for. The latest answer stays while the
 * next one is on its way, and while the server is away; views ask again when the catalog has changed.
 */

import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Api, ApiName, Overview } from '../extensions/explore/api.ts';
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

/** Counts when every answer may have changed: when the catalog has, and when the server is back. */
const version = signal(0);

let timer: ReturnType<typeof setTimeout>;

/** Looks now, and from then on. */
export async function follow(): Promise<void> {
  clearTimeout(timer);
  timer = setTimeout(follow, await look());
}

/** How long to wait before the next look, ms. */
async function look(): Promise<number> {
  // A tab that no one sees asks nothing.
  if (document.hidden && overview.peek() !== null) return LOCAL_MS;
  try {
    const answer = await call('overview', {});
    const before = overview.peek();
    firstIndex.value = answer.state === 'working' ? answer.share : null;
    const isOther = before !== null && answer.state === 'done' && before.content !== answer.result.content;
    if (isOther || !isReachable.peek()) version.value += 1;
    isReachable.value = true;
    if (answer.state !== 'done') return SOON_MS;
    if (JSON.stringify(answer.result) !== JSON.stringify(before)) overview.value = answer.result;
    return answer.result.principal === 'local' ? LOCAL_MS : REMOTE_MS;
  } catch (error) {
    isReachable.value = !(error instanceof Unreachable);
    return tokenWanted.peek() === null ? SOON_MS : REMOTE_MS;
  }
}

export interface Loaded<Answer> {
  readonly answer: Answer | null;
  readonly error: string | null;
  /** What is asked for is not answered yet: the answer is that to an earlier request. */
  readonly isOld: boolean;
}

/**
 * Asks when `request` changes, after `delayMs`; null asks nothing. An answer that comes after a newer request is dropped.
 * `againMs` of an answer asks once more after that time, as while the server is still computing.
 */
export function useAnswer<Name extends ApiName>(
  name: Name,
  request: Api[Name]['request'] | null,
  {
    delayMs = 0,
    againMs = () => null,
  }: { delayMs?: number; againMs?: (answer: Api[Name]['answer']) => number | null } = {},
): Loaded<Api[Name]['answer']> {
  type State = Omit<Loaded<Api[Name]['answer']>, 'isOld'> & { readonly key: string | null };
  const key = request === null ? null : JSON.stringify(request);
  const [{ answer, error, ...last }, setState] = useState<State>({ answer: null, error: null, key: null });
  // Before the frame is painted: the request is on its way meanwhile.
  useLayoutEffect(() => {
    if (request === null) {
      setState({ answer: null, error: null, key });
      return;
    }
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const ask = () =>
      call(name, request, ending.signal).then(
        (answer) => {
          setState({ answer, error: null, key });
          const again = againMs(answer);
          if (again !== null) timer = setTimeout(ask, again);
        },
        (error: Error) => {
          if (ending.signal.aborted) return;
          // The frame says so, and what was answered before stays.
          if (error instanceof Unreachable) isReachable.value = false;
          else setState({ answer: null, error: error.message, key });
        },
      );
    if (delayMs === 0) ask();
    else timer = setTimeout(ask, delayMs);
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [name, key, version.value]);
  return { answer, error, isOld: last.key !== key };
}
