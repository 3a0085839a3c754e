import { describe, expect, it } from 'vitest';
import { Changes } from '../../../src/catalog/changes.ts';

function at(isPublished = false) {
  const clock = { ms: 0 };
  return { changes: new Changes(() => clock.ms, isPublished), clock };
}

describe('changes', () => {
  it('are pending from the moment they are seen until the index holds them', () => {
    const { changes, clock } = at();
    changes.take();
    changes.note(['/skills/a', '/skills/b']);
    clock.ms = 700;
    changes.note(['/skills/c']);
    const taken = changes.take();
    expect(taken.paths).toEqual(['/skills/a', '/skills/b', '/skills/c']);
    clock.ms = 1_000;
    changes.note(null);
    expect(changes.status()).toEqual({ seen: 4, committed: 0, pending: 4, pendingMs: 1_000 });
    changes.indexed(taken.upTo);
    clock.ms = 1_500;
    // The one that was seen at 1,000 came after what was taken.
    expect(changes.status()).toEqual({ seen: 4, committed: 3, pending: 1, pendingMs: 500 });
    changes.indexed(changes.take().upTo);
    expect(changes.status()).toEqual({ seen: 4, committed: 4, pending: 0, pendingMs: 0 });
  });

  it('stay pending where they could not be indexed, and are taken again', () => {
    const { changes } = at();
    changes.take();
    changes.note(['/skills/a']);
    changes.take();
    expect(changes.some).toBe(false);
    changes.retry();
    expect([changes.some, changes.take().paths, changes.status().pending]).toEqual([true, null, 1]);
  });

  it('of a shared catalog are pending until they are published, with what changed while nobody wrote', () => {
    const { changes, clock } = at(true);
    changes.indexed(changes.take().upTo);
    clock.ms = 2_000;
    expect(changes.status()).toEqual({ seen: 1, committed: 0, pending: 1, pendingMs: 2_000 });
    const upTo = changes.indexedUpTo;
    changes.note(['/skills/a']);
    changes.indexed(changes.take().upTo);
    changes.committed(upTo);
    expect(changes.status()).toMatchObject({ committed: 1, pending: 1, pendingMs: 0 });
  });
});
