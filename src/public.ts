/** The programming interface of the package. Its types are bundled into one file that needs no other (`build.js`). */

export { AppError, createSkillgate } from './app/public.ts';
export { GatewayError } from './gateway/public.ts';
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
} from './mcp/public.ts';
export type { Diagnostic, Section, Skill } from './skills/public.ts';
export { parseSkill } from './skills/public.ts';
