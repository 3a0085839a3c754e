/** What someone wrote and did not send: kept in this browser, so that reload and Back lose nothing. */

import { useState } from 'preact/hooks';

const PREFIX = 'skillgate-kept ';

/** A text by its name; empty where there is none. Setting it to '' forgets it. */
export function useKept(name: string): readonly [text: string, set: (text: string) => void] {
  const key = PREFIX + name;
  // The text belongs to a name: under another name it is read again.
  const [state, setState] = useState({ key, text: localStorage.getItem(key) ?? '' });
  const text = state.key === key ? state.text : (localStorage.getItem(key) ?? '');
  return [
    text,
    (next) => {
      if (next === '') localStorage.removeItem(key);
      else localStorage.setItem(key, next);
      setState({ key, text: next });
    },
  ];
}
