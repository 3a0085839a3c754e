/**
 * What a view asks the server for, as it arrives: the latest answer stays while the next one is on its way, and while the
 * server is away. Asks again when the catalog has changed.
 */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api, ApiName } from '../extensions/explore/api.ts';
import { call, Unreachable } from './client.ts';
import { isReachable, version } from './live.ts';

export interface Loaded<Answer> {
  readonly answer: Answer | null;
  readonly error: string | null;
  readonly loading: boolean;
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
  type Answer = Api[Name]['answer'];
  const [state, setState] = useState<Loaded<Answer>>({
    answer: null,
    error: null,
    loading: request !== null,
  });
  const key = request === null ? null : JSON.stringify(request);
  const first = useRef(true);
  useEffect(() => {
    if (request === null) {
      setState({ answer: null, error: null, loading: false });
      return;
    }
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    setState((before) => ({ ...before, loading: true }));
    const ask = () =>
      call(name, request, ending.signal).then(
        (answer) => {
          setState({ answer, error: null, loading: false });
          const again = againMs(answer);
          if (again !== null) timer = setTimeout(ask, again);
        },
        (error: Error) => {
          if (ending.signal.aborted) return;
          // The frame says so, and what was answered before stays.
          if (error instanceof Unreachable) isReachable.value = false;
          else setState({ answer: null, error: error.message, loading: false });
        },
      );
    timer = setTimeout(ask, first.current ? 0 : delayMs);
    first.current = false;
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [name, key, version.value]);
  return state;
}
