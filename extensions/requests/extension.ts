/** Requests that the user's own agent writes for skills: commands, and a prompt for those who work with a local server. */

import type { Extension } from '../../src/app/extension-api.ts';

export const extension: Extension = {
  feature: ({ catalog }) => ({
    attach(server, { gateway }) {
      server.registerPrompt(
        'write-requests',
        {
          title: 'Write requests for skills',
          description: 'Has the agent write what people ask for, for skills that carry no requests yet.',
        },
        async (ctx) => {
          const [{ BATCH, batchOf }, { filesOfSources, listRows }] = await Promise.all([
            import('./batch.ts'),
            import('./skills.ts'),
          ]);
          const { opened, sources } = await catalog();
          const rows = await listRows(await gateway(ctx), await opened, filesOfSources(sources.all));
          const { text } = batchOf(rows, BATCH);
          return { messages: [{ role: 'user', content: { type: 'text', text } }] };
        },
      );
    },
  }),
};
