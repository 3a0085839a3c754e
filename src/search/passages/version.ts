/**
 * Version of how skills become passages, and of what the index says of each. Changing it rebuilds every index. A file of
 * its own, because a start loads it without the rest of this room.
 */
export const PASSAGE_VERSION = 'passages-11';
