/** Names how skills are cut into passages; a new name makes every index be built again. */
export const RECIPE = 'passages-2';
