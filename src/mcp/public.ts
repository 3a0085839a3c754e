/**
 * The MCP server: tools, prompts, resources, the Skills extension, two earlier drafts.
 *
 * The only room that knows wire names and wire errors. A tool is a declared value (`tools/`); a set of tools is a profile.
 * The Skills extension and the drafts (`drafts/`) are other ways to ask the same use cases of `gateway/`.
 */

export { availableSkills, elementTokens, FRAME_TOKENS } from './available-skills.ts';
export { ChangeBus } from './change-bus.ts';
export { serverExtensions } from './extensions.ts';
export { guidance, wrapped } from './guidance.ts';
export { foreignHint } from './languages.ts';
export { principalOf } from './principal.ts';
export { endingOf } from './script-answer.ts';
export { type Extension, mcpServerFactory } from './server.ts';
export { counted } from './text.ts';
export type { Answers, ToolCall } from './tool.ts';
export { type ToolProfile, withTool } from './tools/profile.ts';
export { PROFILE_NAMES, PROFILES, type ProfileName, profileWithScripts } from './tools/profiles.ts';
export { useTool } from './tools/use-tool.ts';
export { currentRequestId } from './warnings.ts';
