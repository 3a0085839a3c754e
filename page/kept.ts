/** What someone wrote and did not send: kept in this browser, so that reload and Back lose nothing. */

import { useState } from 'preact/hooks';

/** A text by its name, which stays the same; empty where there is none. Setting it to '' forgets it. */
export function useKept(name: string): readonly [text: string, set: (text: string) => void] {
  const key = `skillgate-kept ${name}`;
  const [text, setText] = useState(localStorage.getItem(key) ?? '');
  return [
    text,
    (next) => {
      if (next === '') localStorage.removeItem(key);
      else localStorage.setItem(key, next);
      setText(next);
    },
  ];
}
