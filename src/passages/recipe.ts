/** Identifies how skills are split into passages, and what the index says of each. Changing it rebuilds every index. */
export const RECIPE = 'passages-4';
