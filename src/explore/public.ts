/**
 * The local page (`skillgate explore`): its requests, its files, and its server on loopback.
 *
 * `explorer.ts` answers each request from the gateway and the view of the principal that asks, so the page shows nothing that
 * the principal's agent could not see. It only reads. `api.ts` is the contract with the browser's code in `page/`, and the one
 * file of this room that it imports. `server.ts` serves the user of this machine; `http/` serves its authenticated callers.
 */

export { type Assets, PAGE_HEADERS, readAssets } from './assets.ts';
export { type Explorer, openExplorer, type Visitor } from './explorer.ts';
export { queriesIn } from './requests.ts';
export { type ExploreServer, serveExplorer } from './server.ts';
export { performInThread } from './thread.ts';
export { performHere } from './work.ts';
