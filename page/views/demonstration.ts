/** The box of an untouched start types some real requests by itself, lit on the map: until the first key or click, and once. */

import { useEffect, useState } from 'preact/hooks';
import type { SearchAnswer } from '../../extensions/explore/api.ts';
import { call } from '../client.ts';

/** A letter takes this long, and a request stays this long, ms. */
const LETTER_MS = 45;
const STAY_MS = 2_400;
const PAUSE_MS = 900;

interface Shown {
  readonly text: string;
  readonly answer: SearchAnswer | null;
}
const NOTHING: Shown = { text: '', answer: null };

let isOver = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** What the box shows, with the hits that are lit; nothing without examples. */
export function useDemonstration(examples: readonly string[]): Shown {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    if (examples.length === 0 || isOver) return;
    const ending = new AbortController();
    const { signal } = ending;
    const end = () => {
      isOver = true;
      ending.abort();
      setShown(NOTHING);
    };
    addEventListener('keydown', end, { signal });
    addEventListener('pointerdown', end, { signal });
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const type = async () => {
      await wait(PAUSE_MS);
      for (const example of examples) {
        const answer = await call('search', { query: example, limit: 6 }, signal);
        for (let length = 1; length <= example.length; length += 1) {
          if (signal.aborted) return;
          setShown({ text: example.slice(0, length), answer: null });
          await wait(LETTER_MS);
        }
        if (signal.aborted) return;
        setShown({ text: example, answer });
        await wait(STAY_MS);
      }
      end();
    };
    type().catch(() => {});
    return () => {
      ending.abort();
      setShown(NOTHING);
    };
  }, [examples.length]);
  return shown;
}
