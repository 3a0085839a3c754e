/** The token of the page's requests: from the address that `skillgate explore` printed, or from the person. */

const KEY = 'skillgate-token';

export const token = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

/** Kept for this tab alone. */
export const keepToken = (given: string): void => sessionStorage.setItem(KEY, given);

/**
 * Takes the token out of the address, so that it is in no bookmark and no history. One that stays valid when `skillgate
 * explore` is started again is kept for all tabs, so that links work in a new one. False where there is none.
 */
export function takeToken(): boolean {
  const [, kept, given] = /^#(kept-)?token=([\w.~+/=-]+)/.exec(location.hash) ?? [];
  if (given === undefined) return false;
  if (kept !== undefined) localStorage.setItem(KEY, given);
  keepToken(given);
  history.replaceState(null, '', '#/explore');
  return true;
}
