/** The port through which profiles and older drafts run scripts for a client: with its consent, progress and cancellation. */

import type { ContentBlock, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Gateway } from '../gateway/gateway.ts';
import type { ScriptOutcome, ScriptRequest, Scripts } from '../gateway/scripts.ts';
import type { ServerFeature } from './server.ts';
import type { Tool } from './tool.ts';

/** Opens the script runner on the first call. */
export type OpenScripts = () => Promise<Scripts>;

/** What differs between the script tools of the profiles. */
export interface ScriptToolDeclaration<Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Arguments>;
  /** The first block of the answer is the script's output alone. */
  readonly outputFirst?: boolean;
  readonly requestOf: (args: Arguments) => {
    readonly skill: string;
    readonly script: string;
    readonly values: Readonly<Record<string, unknown>>;
    readonly timeoutMs?: number;
  };
}

export interface ScriptCall {
  readonly request: ScriptRequest;
  readonly gateway: Pick<Gateway, 'find'>;
  readonly server: McpServer;
  readonly ctx: ServerContext;
}

/** A run of a script, ready for the wire. */
interface ScriptAnswer {
  readonly outcome: ScriptOutcome;
  /** Standard output first, also where it is empty; then a summary, standard error and links to files. */
  readonly content: readonly ContentBlock[];
  /** How the run ended. */
  readonly sentence: string;
  /** The end of each output, where programs report what went wrong. */
  readonly ends: { readonly stdout: string; readonly stderr: string };
}

export interface ScriptTools {
  /** The tool of the search-first profile. */
  readonly runScript: Tool;
  tool<Arguments>(declaration: ScriptToolDeclaration<Arguments>): Tool;
  /** For methods of older drafts, whose revisions let a server ask during a call. */
  runForDraft(call: ScriptCall): Promise<ScriptAnswer>;
  /** Files that runs left, as resources. */
  readonly outputs: ServerFeature;
}
