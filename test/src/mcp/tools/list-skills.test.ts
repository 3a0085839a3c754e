/** list_skills, called by a real client on both eras. */

import { describe, expect, it } from 'vitest';
import { type FakeSkill, fakeGateway, SKILLS } from '../fake-gateway.ts';
import { callTool, ERAS, textOf } from '../harness.ts';

describe.each(ERAS)('list_skills on %s', (era) => {
  const list = (args: Record<string, unknown>, skills: readonly FakeSkill[] = SKILLS) =>
    callTool(era, fakeGateway(skills), 'list_skills', args);

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

  it('lists fifty by default, with a cursor for more', async () => {
    const skills = Array.from({ length: 60 }, (_, at) => ({ id: `s${at}`, description: '', files: {} }));
    const result = await list({}, skills);
    expect(result.structuredContent).toMatchObject({ total: 60, skills: { length: 50 }, next_cursor: '50' });
    expect(textOf(result)).toContain('next_cursor: 50');
    const rest = await list({ cursor: '50' }, skills);
    expect(rest.structuredContent).toMatchObject({ skills: [{ id: 's54' }, ...Array(9).fill({})] });
  });

  it('cuts long descriptions', async () => {
    const result = await list({}, [{ id: 's', description: 'word '.repeat(500), files: {} }]);
    expect(textOf(result).length).toBeLessThan(200);
  });
});
