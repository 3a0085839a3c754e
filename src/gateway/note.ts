/** A gateway whose answers to searches say something more, such as what is missing or old. */

import type { Gateway } from './gateway.ts';

/** `noteNow` is asked for each answer; '' adds nothing. */
export const withNote = (gateway: Gateway, noteNow: () => string): Gateway => ({
  ...gateway,
  async search(request) {
    const answer = await gateway.search(request);
    const note = [answer.retrieval.note ?? '', noteNow()].filter((part) => part !== '').join(' ');
    return note === '' ? answer : { ...answer, retrieval: { ...answer.retrieval, note } };
  },
});
