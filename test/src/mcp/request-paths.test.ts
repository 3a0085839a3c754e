/** Paths with absurdly many segments, wherever a request names one. */

import { describe, expect, it } from 'vitest';
import { longPathIn } from '../../../src/mcp/request-params.ts';

const of = (segments: number) => Array(segments).fill('a').join('/');
const read = (uri: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });

describe('longPathIn', () => {
  it('counts segments', () => {
    expect(longPathIn(read(of(256)))).toBeUndefined();
    expect(longPathIn(read(of(257)))).toContain('`uri` has 257 segments');
  });

  it('looks at each member that names something, also in a batch', () => {
    const path = of(1_000);
    for (const params of [
      { name: path },
      { reference: path },
      { arguments: { skill: path } },
      { arguments: { path } },
      { arguments: { script: path } },
      { ref: { uri: path } },
      { argument: { value: path } },
    ]) {
      expect(longPathIn({ params })).toContain('1000 segments');
      expect(longPathIn([read('a'), { params }])).toContain('1000 segments');
    }
  });

  it('leaves texts, other shapes and nested arguments of scripts alone', () => {
    const path = of(1_000);
    for (const message of [
      undefined,
      null,
      'text',
      {},
      [],
      { params: null },
      { params: { arguments: { query: path } } },
      { params: { arguments: { skill: 'a', arguments: { path } } } },
      read(7),
      read({ path }),
    ])
      expect(longPathIn(message)).toBeUndefined();
  });

  it('finds the path next to members of another shape', () => {
    expect(longPathIn({ params: { uri: of(300), name: 7, arguments: 'x', ref: null } })).toContain('300');
  });
});
