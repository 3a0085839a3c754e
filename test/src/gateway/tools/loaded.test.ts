import { describe, expect, it } from 'vitest';
import { LoadedSkills } from '../../../../src/gateway/tools/loaded.ts';

const entry = (id: string) => ({ id, source: 's', mcpTools: [], allowedTools: [] });
const ann = { id: 'ann', scopes: [] };
const HOUR = 3_600_000;

describe('LoadedSkills', () => {
  it('keeps the loads of principals apart', () => {
    const loaded = new LoadedSkills(() => 0);
    loaded.remember(ann, entry('kiln'));
    expect(loaded.of(ann).map(({ id }) => id)).toEqual(['kiln']);
    expect(loaded.of({ id: 'bob', scopes: [] })).toEqual([]);
  });

  it('drops a load after eight hours, unless the skill is loaded again', () => {
    let now = 0;
    const loaded = new LoadedSkills(() => now);
    loaded.remember(ann, entry('kiln'));
    loaded.remember(ann, entry('ash'));
    now = 7 * HOUR;
    loaded.remember(ann, entry('ash'));
    now = 9 * HOUR;
    expect(loaded.of(ann).map(({ id }) => id)).toEqual(['ash']);
  });

  it('keeps the last 200 skills of each of the last 1,000 principals', () => {
    const loaded = new LoadedSkills(() => 0);
    for (let at = 0; at < 250; at++) loaded.remember(ann, entry(`skill-${at}`));
    expect(loaded.of(ann)).toHaveLength(200);
    expect(loaded.of(ann)[0]?.id).toBe('skill-50');
    for (let at = 0; at < 1_000; at++) loaded.remember({ id: `agent-${at}`, scopes: [] }, entry('kiln'));
    expect(loaded.of(ann)).toEqual([]);
    expect(loaded.of({ id: 'agent-0', scopes: [] })).toHaveLength(1);
  });
});
