/** The programming interface of the package. Its types are bundled into one file that needs no other (`build.js`). */

import { EXTENSIONS } from '../extensions/extensions.ts';
import {
  createSkillgate as create,
  type Skillgate,
  type SkillgateOptions,
} from '../src/app/create-skillgate.ts';

export { AppError } from '../src/app/app-error.ts';
export type { McpServerHandle, Skillgate, SkillgateOptions } from '../src/app/create-skillgate.ts';
export { GatewayError } from '../src/gateway/gateway.ts';
export type { ToolCallResult, ToolsByFormat } from '../src/mcp/agent-tools.ts';
export type { ListOptions, ListResult } from '../src/mcp/tools/list-skills.ts';
export type { LoadOptions, LoadResult } from '../src/mcp/tools/load-skill.ts';
export type { ReadOptions, ReadResult } from '../src/mcp/tools/read-reference.ts';
export type { Evidence, SearchHit, SearchOptions, SearchResult } from '../src/mcp/tools/search-result.ts';
export type { Caller, RequestHandler, RequestHandlerOptions } from '../src/serve/http.ts';
export { parseSkill } from '../src/skills/parse.ts';
export type { Diagnostic, Section, Skill } from '../src/skills/skill.ts';

/**
 * Rejects where a setting is wrong or a named folder does not exist. The index is opened, and made where there is none,
 * while the program goes on: the first call waits for it.
 *
 * @example
 * const skillgate = await createSkillgate({ skills: './skills' });
 * const { hits } = await skillgate.search('our mails land in the junk folder');
 * const [best] = hits;
 * if (best !== undefined) console.log((await skillgate.load(best.id)).instructions);
 * await skillgate.close();
 */
export function createSkillgate(options: SkillgateOptions = {}): Promise<Skillgate> {
  return create(options, EXTENSIONS);
}
