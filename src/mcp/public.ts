/**
 * The MCP server: tools, prompts, resources, the Skills extension, two earlier drafts.
 *
 * The only room that knows wire names and wire errors. A tool is a declared value (`tools/`); a set of tools is a profile.
 * The Skills extension and the drafts (`drafts/`) are other ways to ask the same use cases of `gateway/`.
 */

export { AGENT_FORMATS } from './agent-formats.ts';
export { agentTools, callAgentTool, programCalls } from './agent-tools.ts';
export { availableSkills, elementTokens, FRAME_TOKENS } from './available-skills.ts';
export { ChangeBus } from './change-bus.ts';
export { clientRoots } from './client-roots.ts';
export { serverExtensions } from './extensions.ts';
export { guidance, wrapped } from './guidance.ts';
export { HINT_SKILLS, hintLine, MIN_HINT_FIT, queryOf } from './hint-line.ts';
export { foreignHint } from './languages.ts';
export { LargeContents } from './large-contents.ts';
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
} from './library-types.ts';
export { longPathIn } from './long-paths.ts';
export { principalOf } from './principal.ts';
export { exitSentence } from './script-answer.ts';
export { type Extension, mcpServerFactory } from './server.ts';
export { counted } from './text.ts';
export type { Answers, ToolCall } from './tool.ts';
export { type ToolProfile, withTool } from './tools/profile.ts';
export {
  PROFILE_NAMES,
  PROFILES,
  type ProfileName,
  profileWithFeedback,
  profileWithScripts,
  SEARCH_FIRST,
} from './tools/profiles.ts';
export { ALSO, agentAnswer } from './tools/search-answer.ts';
export { useTool } from './tools/use-tool.ts';
export { currentRequestId } from './warnings.ts';
export { wholeResults } from './whole-results.ts';
