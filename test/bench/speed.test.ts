import { describe, expect, it } from 'vitest';
import { growth } from '../../bench/plots/growth.ts';
import { ratios } from '../../bench/speed/compare-runs.ts';
import { parseSpeed, type SizeFigures, type SpeedFigures } from '../../bench/speed/figures.ts';
import { ratiosToFloors } from '../../bench/speed/floors-table.ts';
import { fuse } from '../../bench/speed/peers/in-memory.ts';
import { latencyOf } from '../../bench/speed/processes.ts';
import { speedTable } from '../../bench/speed/table.ts';
import { medianOf } from '../../bench/speed/usage.ts';

const process = (wallMs: number) => ({ wallMs, cpuMs: 2 * wallMs, peakBytes: 2 ** 20 });
const latency = (p50: number) => ({ p50, p95: 2 * p50, p99: 3 * p50 });

const size = (skills: number, factor: number): SizeFigures => ({
  skills,
  passages: 10 * skills,
  textBytes: 2 ** 20,
  diskBytes: 1000 * skills,
  build: process(1000 * factor),
  unchanged: process(10),
  oneChanged: process(20),
  percentChanged: { ...process(30), changed: 1 },
  search: process(40),
  serve: {
    listMs: 5,
    firstMs: 6,
    cpuMs: 7 * factor,
    firstBytes: 2 ** 25,
    bytes: 2 ** 26,
    peakBytes: 2 ** 27,
  },
  mcp: latency(3),
  freshMs: 100,
  inside: { search: latency(2), embed: latency(0.1), retrieve: latency(1.9), vectors: 'exact' },
  recall: { queries: 10, at10: 1 },
  peers: [
    { name: 'Quick', buildMs: 1, search: latency(1), bytes: 2 ** 25 },
    { name: 'Absent', skipped: 'not installed' },
  ],
});

const run = (factor: number, skills: readonly number[]): SpeedFigures => ({
  machine: { node: 'v20', cpu: 'a CPU', cores: 2, memoryBytes: 2 ** 30 },
  floors: { node: process(60), server: process(150), roundTrip: latency(0.3) },
  sizes: skills.map((count) => size(count, factor)),
});

describe('the speed table', () => {
  const text = speedTable(run(1, [100, 1000]));

  it('has a column per size, the targets and the floors', () => {
    expect(text).toMatch(/skills +target +100 +1000/);
    expect(text).toMatch(/one skill changed +ms +25k ≤ 1500 +20 +20/);
    expect(text).toMatch(/protocol, p50 +ms +1\.00 +1\.00/);
    expect(text).toContain('a bare MCP server');
  });

  it('shows the resources of one answer, and a dash where an old file lacks them', () => {
    expect(text).toMatch(
      /search in a fresh process +ms +40 +40\n +CPU +ms +80 +80\n +memory, peak +MB +1 +1\n/,
    );
    expect(text).toMatch(/serve: first answer .*\n +CPU .*\n +memory +MB +32 +32\n/);
    const { firstBytes: _, ...serve } = size(100, 1).serve;
    const old = parseSpeed(JSON.stringify({ ...run(1, []), sizes: [{ ...size(100, 1), serve }] }));
    expect(speedTable(old)).toMatch(/serve: first answer .*\n +CPU .*\n +memory +MB +–\n/);
  });

  it('shows each peer as a multiple of skillgate, and why a peer did not run', () => {
    expect(text).toMatch(/Quick +0\.00 +1\.00 +3\.00 +0\.50 +32/);
    expect(text).toMatch(/Absent +not installed/);
  });
});

describe('ratiosToFloors', () => {
  it('divides each figure by a floor of the same run', () => {
    const text = ratiosToFloors(run(1, [100, 1000]));
    // First answer: 7 ms of CPU over 300 of the bare server. Search over MCP: p50 3 ms over a round trip of 0.3.
    expect(text).toMatch(/serve: first answer, CPU +MCP +0\.02 +0\.02\n/);
    expect(text).toMatch(/search over MCP, p50 +round trip +10\.00 +10\.00\n/);
    // Index from nothing: 2000 ms of CPU over 120 of an empty process.
    expect(text).toMatch(/index from nothing, CPU +Node +16\.67 +16\.67\n/);
    expect(text).toContain('an empty Node process');
  });
});

describe('peers', () => {
  it('accept the edited skill on top of a thousand', () => {
    expect(fuse.maxSkills).toBeGreaterThan(1_000);
  });
});

describe('the plot of growth', () => {
  it('shows each series as a multiple of its value at the smallest size', () => {
    const small = size(100, 1);
    const large = { ...size(1000, 1), freshMs: 2 * small.freshMs };
    const { layer } = growth([small, large]) as unknown as { layer: { data: { values: unknown[] } }[] };
    const values = layer.at(-1)!.data.values;
    for (const [series, times] of [
      ['saved file found by serve', 2],
      ['index on disk', 10],
      ['index on disk, a skill', 1],
    ])
      expect(values).toContainEqual({ series, skills: 1000, times });
  });
});

describe('medianOf', () => {
  const runs = (...wallMs: number[]) => {
    const left = [...wallMs];
    const run = async () => ({ ...process(left.shift()!), bytes: 0, stdout: String(left.length) });
    return { left, run };
  };

  it('takes the median of the given number of runs', async () => {
    expect(await medianOf(3, runs(30, 10, 20).run)).toMatchObject({ wallMs: 20, cpuMs: 40, stdout: '0' });
  });

  it('does not repeat a slow run', async () => {
    const { left, run } = runs(16_000, 1, 1);
    expect((await medianOf(3, run)).wallMs).toBe(16_000);
    expect(left).toEqual([1, 1]);
  });
});

describe('ratios', () => {
  it('divide now by before for the sizes of both runs, and add the floor', () => {
    const text = ratios(run(2, [100, 1000]), run(3, [1000, 5000]));
    expect(text).toMatch(/now ÷ before +1000\n/);
    expect(text).toMatch(/index from nothing, wall +1\.50\n/);
    expect(text).toMatch(/floor: an empty Node process, CPU +1\.00/);
  });
});

describe('figures', () => {
  it('survive a round trip through JSON, and other JSON is refused', () => {
    const figures = run(1, [100]);
    expect(parseSpeed(JSON.stringify(figures))).toEqual(figures);
    expect(() => parseSpeed('{"sizes":[]}')).toThrow();
  });

  it('of latency are quantiles of the times', () => {
    const times = Array.from({ length: 101 }, (_, at) => at);
    expect(latencyOf(times)).toEqual({ p50: 50, p95: 95, p99: 99 });
  });
});
