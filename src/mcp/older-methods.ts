/**
 * Methods of older protocol drafts, on connections of the revisions before 2026-07-28, where the `skills/` prefix was not
 * reserved yet. They are known by name; their code is loaded at the first call of one. Attach them after the Skills
 * extension, two of whose methods they replace.
 */

import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { notifyOfChanges } from './changes.ts';
import type { Log } from './errors.ts';
import { describeFault } from './request-params.ts';
import type { FeatureContext, ServerFeature } from './server.ts';

/** What is known before the code is loaded. */
export interface OlderMethods {
  readonly methods: readonly string[];
  /** A capability of `initialize` that the SDK's type lacks: `{ listChanged, scripts }`. */
  readonly capability: string;
  /** Sent after each change of the catalog. */
  readonly onChange: string;
  readonly resource: {
    readonly name: string;
    readonly template: string;
    readonly title: string;
    readonly description: string;
  };
}

/** The loaded code for one server. A handler checks its own parameters. */
export interface OlderHandlers {
  readonly methods: Readonly<
    Record<string, (params: unknown, ctx: ServerContext) => Promise<Record<string, unknown>>>
  >;
  readonly readResource: (uri: URL, ctx: ServerContext) => Promise<ReadResourceResult>;
}

export type OpenOlderHandlers = (mcp: McpServer, context: FeatureContext) => Promise<OlderHandlers>;

interface OlderOptions {
  readonly open: OpenOlderHandlers;
  readonly runsScripts: boolean;
  readonly log: Log;
}

const anyParams = z.looseObject({});

export function olderMethods(
  { methods, capability, onChange, resource }: OlderMethods,
  { open, runsScripts, log }: OlderOptions,
): ServerFeature {
  return {
    attach(mcp, context) {
      if (context.era !== 'legacy') return;
      const { server } = mcp;
      let opened: Promise<OlderHandlers> | undefined;
      const handlers = () => {
        opened ??= open(mcp, context);
        return opened;
      };
      const declared: Record<string, object> = { [capability]: { listChanged: true, scripts: runsScripts } };
      server.registerCapabilities(declared);
      for (const method of methods)
        server.setRequestHandler(method, { params: anyParams }, async (params, ctx) =>
          (await handlers()).methods[method]!(params, ctx),
        );
      const { name, template, ...texts } = resource;
      mcp.registerResource(
        name,
        new ResourceTemplate(template, { list: undefined }),
        texts,
        async (uri, _, ctx) => (await handlers()).readResource(uri, ctx),
      );
      notifyOfChanges(mcp, context.opened, () => server.notification({ method: onChange }), log);
    },
  };
}

/** A method whose parameters are checked first. */
export const method =
  <Params>(
    name: string,
    schema: z.ZodType<Params>,
    handle: (params: Params, ctx: ServerContext) => Promise<Record<string, unknown>>,
  ): OlderHandlers['methods'][string] =>
  (params, ctx) => {
    const parsed = schema.safeParse(params, { reportInput: true });
    if (!parsed.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeFault(name, parsed.error));
    return handle(parsed.data, ctx);
  };
