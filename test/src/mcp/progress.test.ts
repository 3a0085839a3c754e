/** A call that waits for indexing reports progress if its caller asks for it. */

import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../src/catalog/indexing/report.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { connect, ERAS } from './harness.ts';

/** An indexing run whose steps are reported by `step`; the gateway opens with `finish`. */
function run() {
  const listeners = new Set<(progress: Progress) => void>();
  let finish: (gateway: Gateway) => void = () => {};
  const opened = new Promise<Gateway>((resolve) => {
    finish = resolve;
  });
  return {
    listeners,
    gateway: () => opened,
    onIndexing: (listener: (progress: Progress) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    step: (progress: Progress) => {
      for (const listener of listeners) listener(progress);
    },
    finish: () => finish(fakeGateway(SKILLS)),
  };
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(ERAS)('progress on %s', (era) => {
  it('rises from stage to stage, one notification per percent, and stops with the call', async () => {
    const { gateway, onIndexing, step, finish, listeners } = run();
    const { client } = await connect(era, gateway, { onIndexing, guideTimeoutMs: 0 });
    const received: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const call = client.callTool(
      { name: 'list_skills', arguments: {} },
      { onprogress: (progress) => received.push(progress) },
    );
    await until(() => listeners.size === 1);
    // From 5 to 80 percent while skills are read: 5 + 75 × 40/100 = 35.
    step({ stage: 'scan', done: 1, total: 1 });
    step({ stage: 'read', done: 40, total: 100 });
    step({ stage: 'read', done: 40, total: 100 });
    step({ stage: 'scan', done: 0, total: 1 });
    step({ stage: 'graph', done: 0, total: 0 });
    finish();
    expect((await call).structuredContent).toMatchObject({ total: 4 });
    expect(received).toEqual([
      { progress: 5, total: 100, message: 'Looking for skills: 1 of 1' },
      { progress: 35, total: 100, message: 'Indexing skills: 40 of 100' },
      { progress: 90, total: 100, message: 'Building the graph: 0 of 0' },
    ]);
    expect(listeners.size).toBe(0);
  });

  it('is not sent to principals that may not see all skills', async () => {
    const { gateway, onIndexing, finish, listeners } = run();
    const seesIndexing = () => false;
    const { client } = await connect(era, gateway, { onIndexing, seesIndexing, guideTimeoutMs: 0 });
    const received: unknown[] = [];
    const call = client.callTool(
      { name: 'list_skills', arguments: {} },
      { onprogress: (progress) => received.push(progress) },
    );
    finish();
    await call;
    expect(listeners.size).toBe(0);
    expect(received).toEqual([]);
  });

  it('is not sent without a progress token or after a cancellation', async () => {
    const { gateway, onIndexing, step, finish, listeners } = run();
    const { client, logged } = await connect(era, gateway, { onIndexing, guideTimeoutMs: 0 });
    const unasked = client.callTool({ name: 'list_skills', arguments: {} });
    await Promise.resolve();
    expect(listeners.size).toBe(0);
    const errors: Error[] = [];
    // The client reports progress notifications of calls that it no longer knows.
    client.onerror = (error) => errors.push(error);
    const controller = new AbortController();
    const received: unknown[] = [];
    const cancelled = client.callTool(
      { name: 'list_skills', arguments: {} },
      { signal: controller.signal, onprogress: (progress) => received.push(progress) },
    );
    await until(() => listeners.size === 1);
    controller.abort();
    await expect(cancelled).rejects.toThrow();
    // When a later call is answered, the cancellation has arrived too.
    await client.listTools();
    step({ stage: 'read', done: 1, total: 2 });
    finish();
    expect((await unasked).structuredContent).toMatchObject({ total: 4 });
    await until(() => listeners.size === 0);
    expect(received).toEqual([]);
    expect(errors).toEqual([]);
    expect(logged).toEqual([]);
  });
});
