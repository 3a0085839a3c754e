/** Adds a note to every answer of a search. */

import type { Principal } from '../policy/principal.ts';
import type { Layer } from './layer.ts';

/** `noteFor` is called for each answer; '' adds nothing. */
export const addNote =
  (noteFor: (principal: Principal) => string): Layer =>
  (next, { principal }) => ({
    ...next,
    async search(request) {
      const answer = await next.search(request);
      const note = [answer.retrieval.note ?? '', noteFor(principal)].filter((part) => part !== '').join(' ');
      return note === '' ? answer : { ...answer, retrieval: { ...answer.retrieval, note } };
    },
  });
