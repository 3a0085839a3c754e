/** Leaves out the skills that their authors keep from models. */

import type { Layer } from './layer.ts';

const audience = 'models';

export const forModels: Layer = (next) => ({
  ...next,
  search: (request) => next.search({ ...request, filter: { ...request.filter, audience } }),
  list: (request) => next.list({ ...request, audience }),
});
