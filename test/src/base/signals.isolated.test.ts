import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { firstSignal } from '../../../src/base/timing.ts';

describe('firstSignal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('resolves with %s', async (name) => {
    const process = new EventEmitter();
    const { arrived } = firstSignal(process);
    process.emit(name);
    expect(await arrived).toBe(name);
  });

  it('listens until it is released, so that nobody else takes the signal for unhandled', () => {
    const process = new EventEmitter();
    const { release } = firstSignal(process);
    let others = 0;
    process.on('SIGTERM', () => {
      others = process.listenerCount('SIGTERM');
    });
    process.emit('SIGTERM');
    expect(others).toBe(2);
    release();
    expect(process.listenerCount('SIGTERM')).toBe(1);
    expect(process.listenerCount('SIGINT')).toBe(0);
  });
});
