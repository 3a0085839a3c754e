/** The gateway as tools ask it: models neither find nor list skills that their authors keep for people. */

import type { Gateway } from '../gateway/gateway.ts';

const audience = 'models';

export const forModels = (gateway: Gateway): Gateway => ({
  ...gateway,
  search: (request) => gateway.search({ ...request, filter: { ...request.filter, audience } }),
  list: (request) => gateway.list({ ...request, audience }),
});
