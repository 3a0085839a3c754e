/** Tells MCP sources from others without loading what connects to them: a server with local folders needs none of it. */

import type { McpSource } from './source.ts';

export const isMcpSource = (source: object): source is McpSource => 'tools' in source;
