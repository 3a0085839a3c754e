/** Which notifications an upstream server is asked for, and who hears of them. */

import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { ChangeNotifications } from '../../../../extensions/remote-sources/upstream/notifications.ts';
import { endWithTest } from '../../../end-with-test.ts';

interface Declared {
  readonly resources?: { readonly listChanged?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
}

/** A client of a server of the newest era with these capabilities, and the messages that the client sent. */
async function connected(capabilities: Declared) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: { readonly method?: string; readonly params?: Record<string, unknown> }[] = [];
  const send = near.send.bind(near);
  near.send = (message, ...more) => {
    sent.push(message as (typeof sent)[number]);
    return send(message, ...more);
  };
  const server = serveStdio(() => new McpServer({ name: 'peer', version: '1' }, { capabilities }), {
    transport: far,
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(near);
  const notifications = new ChangeNotifications();
  endWithTest(async () => {
    notifications.close();
    await client.close();
    await server.close();
  });
  return {
    client,
    notifications,
    asked: () => sent.filter(({ method }) => method === 'subscriptions/listen').map(({ params }) => params),
  };
}

describe('a server of the newest era', () => {
  it.each([
    [
      'resources',
      { resources: { listChanged: true }, tools: { listChanged: false } },
      { resourcesListChanged: true },
    ],
    [
      'tools',
      { resources: { listChanged: false }, tools: { listChanged: true } },
      { toolsListChanged: true },
    ],
    [
      'both',
      { resources: { listChanged: true }, tools: { listChanged: true } },
      { resourcesListChanged: true, toolsListChanged: true },
    ],
  ])('is asked only for the lists whose changes it declares: %s', async (_, capabilities, filter) => {
    const { client, notifications, asked } = await connected(capabilities);
    notifications.subscribe(client, () => {});
    await expect.poll(() => asked()).toHaveLength(1);
    expect(asked()[0]?.notifications).toEqual(filter);
  });

  it('is asked for nothing if it declares no changes', async () => {
    const { client, notifications, asked } = await connected({
      resources: { listChanged: false },
      tools: { listChanged: false },
    });
    notifications.subscribe(client, () => {});
    // A later request has been answered, if only with an error, so an earlier one would have been sent.
    await client.listTools().catch(() => {});
    expect(asked()).toEqual([]);
  });
});

describe('listeners', () => {
  it('hear of their list once for several notifications, and no more after they stopped', async () => {
    const notifications = new ChangeNotifications();
    endWithTest(() => notifications.close());
    const heard: string[] = [];
    expect(notifications.hasListeners).toBe(false);
    const stop = notifications.listen('skills', () => heard.push('skills'));
    notifications.listen('tools', () => heard.push('tools'));
    expect(notifications.hasListeners).toBe(true);
    notifications.notifyAll();
    notifications.notifyAll();
    await expect.poll(() => heard).toEqual(['skills', 'tools']);
    stop();
    notifications.notifyAll();
    await expect.poll(() => heard).toEqual(['skills', 'tools', 'tools']);
  });
});
