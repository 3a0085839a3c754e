/** The public URL of the server. */

import { describe, expect, it } from 'vitest';
import { resourceUrl } from '../../../extensions/http/settings.ts';

describe('resourceUrl', () => {
  it.each([
    [undefined, 'http://127.0.0.1:3000/mcp'],
    ['https://skills.example', 'https://skills.example/mcp'],
    ['https://skills.example/', 'https://skills.example/mcp'],
    ['https://example.org/skills', 'https://example.org/skills'],
    ['https://example.org/team/mcp', 'https://example.org/team/mcp'],
  ])('of %s is %s', (publicUrl, resource) => {
    const url = publicUrl === undefined ? undefined : new URL(publicUrl);
    expect(resourceUrl(url, 'http://127.0.0.1:3000/mcp').href).toBe(resource);
  });
});
