/** list_skills, called by a real client on both eras. */

import { describe, expect, it } from 'vitest';
import { type FakeSkill, fakeGateway } from '../fake-gateway.ts';
import { connect, ERAS, SKILLS, textOf } from '../harness.ts';

describe.each(ERAS)('list_skills on %s', (era) => {
  const list = async (args: Record<string, unknown>, skills: readonly FakeSkill[] = SKILLS) => {
    const { client, close } = await connect(era, fakeGateway(skills));
    const result = await client.callTool({ name: 'list_skills', arguments: args });
    await close();
    return result;
  };

  it('lists skills in order of id, in structure and in text', async () => {
    const result = await list({});
    expect(result.structuredContent).toEqual({
      total: 4,
      skills: [
        { id: 'documents/pdf-forms', name: 'pdf-forms', description: 'Fill and flatten PDF forms.' },
        { id: 'team-a/deploy', name: 'deploy', description: 'Deploy to the cluster of team A.' },
        { id: 'team-b/deploy', name: 'deploy', description: 'Deploy to the cluster of team B.' },
        { id: 'writing/long', name: 'Long Guide', description: 'A very long guide.' },
      ],
    });
    expect(textOf(result)).toBe(
      [
        '4 of 4 skills, in order of id:',
        '- documents/pdf-forms: Fill and flatten PDF forms.',
        '- team-a/deploy: Deploy to the cluster of team A.',
        '- team-b/deploy: Deploy to the cluster of team B.',
        '- writing/long (Long Guide): A very long guide.',
      ].join('\n'),
    );
  });

  it('reaches every skill exactly once by its cursors', async () => {
    const skills = Array.from({ length: 7 }, (_, at) => ({ id: `s${at}`, description: '', files: {} }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { structuredContent } = await list({ limit: 3, cursor }, skills);
      const page = structuredContent as { skills: { id: string }[]; next_cursor?: string };
      seen.push(...page.skills.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(skills.map(({ id }) => id));
  });

  it('lists fifty by default, with a cursor for more', async () => {
    const skills = Array.from({ length: 60 }, (_, at) => ({ id: `s${at}`, description: '', files: {} }));
    const result = await list({}, skills);
    expect(result.structuredContent).toMatchObject({ total: 60, skills: { length: 50 }, next_cursor: '50' });
    expect(textOf(result)).toContain('next_cursor: 50');
  });

  it('cuts long descriptions', async () => {
    const result = await list({}, [{ id: 's', description: 'word '.repeat(500), files: {} }]);
    expect(textOf(result).length).toBeLessThan(200);
  });

  it.each([201, 'x'])('refuses limit %j and names the allowed range', async (limit) => {
    const result = await list({ limit });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('limit: must be a whole number from 1 to 200');
  });

  it('refuses an invalid cursor', async () => {
    expect((await list({ cursor: 'rubbish' })).structuredContent).toMatchObject({
      error: { code: 'REQUEST_INVALID' },
    });
  });
});
