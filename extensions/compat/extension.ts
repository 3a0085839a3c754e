/** Older drafts of skills in the protocol, and the tool profiles of other skill servers. */

import type { Extension } from '../../src/app/extension.ts';
import { draftHandlers } from './drafts/drafts.ts';
import { skillEngine } from './skill-engine.ts';
import { SKILLS_MCP } from './skills-mcp.ts';

export const extension: Extension = {
  // skills-mcp has no script tool: its agents have tools of their own.
  profile: (name, scripts) => (name === 'skills-mcp' ? SKILLS_MCP : skillEngine(scripts)),
  olderHandlers: draftHandlers,
};
