/** The programming interface of the package. Its types are bundled into one file that needs no other (`build.js`). */

export { AppError } from './app/app-error.ts';
export {
  createSkillgate,
  type McpServerHandle,
  type Skillgate,
  type SkillgateOptions,
} from './app/create-skillgate.ts';
export { GatewayError } from './gateway/gateway.ts';
export type { ToolCallResult, ToolsByFormat } from './mcp/agent-tools.ts';
export type { ListOptions, ListResult } from './mcp/tools/list-skills.ts';
export type { LoadOptions, LoadResult } from './mcp/tools/load-skill.ts';
export type { ReadOptions, ReadResult } from './mcp/tools/read-reference.ts';
export type { Evidence, SearchHit, SearchOptions, SearchResult } from './mcp/tools/search-result.ts';
export type { Caller, RequestHandler, RequestHandlerOptions } from './serve/http/web-handler.ts';
export { parseSkill } from './skills/parse.ts';
export type { Diagnostic, Section, Skill } from './skills/skill.ts';
