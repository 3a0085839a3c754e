/** The programming interface of the package. Its types are bundled into one file that needs no other (`build.js`). */

export { AppError } from './app/app-error.ts';
export { createSkillgate } from './app/create-skillgate.ts';
export { GatewayError } from './gateway/gateway.ts';
export type {
  AiSdkTools,
  AnthropicTool,
  Caller,
  Continuation,
  Evidence,
  JsonSchema,
  LangChainTool,
  ListOptions,
  ListResult,
  LoadOptions,
  LoadResult,
  McpServerHandle,
  OpenAiResponsesTool,
  OpenAiTool,
  ReadOptions,
  ReadResult,
  RequestHandler,
  RequestHandlerOptions,
  SearchHit,
  SearchOptions,
  SearchResult,
  Skillgate,
  SkillgateOptions,
  ToolCallResult,
  ToolFormat,
  ToolsByFormat,
} from './mcp/library-types.ts';
export { parseSkill } from './skills/parse.ts';
export type { Diagnostic, Section, Skill } from './skills/skill.ts';
