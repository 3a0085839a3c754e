/** Servers with all extensions over one gateway, as in `skillgate serve`. */

import type { Gateway } from '../../../src/gateway/gateway.ts';
import { type ExtensionOptions, serverExtensions } from '../../../src/mcp/extensions.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { PROFILES, type ProfileName } from '../../../src/mcp/tools/profiles.ts';

export function extendedServer(
  gateway: Gateway,
  options: { readonly tools?: ProfileName; readonly logged?: string[] } & Partial<ExtensionOptions> = {},
) {
  const { tools = 'search-first', logged = [], drafts = true } = options;
  const profile = PROFILES[tools];
  const opened = async () => gateway;
  const log = (line: string) => logged.push(line);
  const extensions = serverExtensions({ profile, drafts, log });
  return mcpServerFactory({ gateway: opened, version: '0.0.0', log, profile, extensions });
}
