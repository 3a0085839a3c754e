/** The public URL of the server. */

import { describe, expect, it } from 'vitest';
import { resourceOf } from '../../../../src/serve/http/settings.ts';

describe('resourceOf', () => {
  it.each([
    [undefined, 'http://127.0.0.1:3000/mcp'],
    ['https://skills.example', 'https://skills.example/mcp'],
    ['https://skills.example/', 'https://skills.example/mcp'],
    ['https://example.org/skills', 'https://example.org/skills'],
    ['https://example.org/team/mcp', 'https://example.org/team/mcp'],
  ])('of %s is %s', (publicUrl, resource) => {
    const url = publicUrl === undefined ? undefined : new URL(publicUrl);
    expect(resourceOf(url, 'http://127.0.0.1:3000/mcp').href).toBe(resource);
  });
});
