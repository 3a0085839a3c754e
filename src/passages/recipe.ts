/** Identifies how skills are split into passages. Changing it rebuilds every index. */
export const RECIPE = 'passages-3';
