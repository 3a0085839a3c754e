/** Tools that skills name, in the answers of search_skills and load_skill. */

import { describe, expect, it } from 'vitest';
import { extendedServer } from '../extended-server.ts';
import { callTool, ERAS, textOf } from '../harness.ts';
import { DIALECT_SKILLS, realCatalog } from '../real-catalog.ts';

const catalog = await realCatalog({
  ...DIALECT_SKILLS,
  'many/SKILL.md': `---\nname: many\ndescription: Needs many tools.\nallowed-tools: ${Array.from({ length: 30 }, (_, at) => `Tool${at}`).join(' ')}\n---\nDo.\n`,
});

describe.each(ERAS)('tools of skills on %s', (era) => {
  const call = (name: string, args: Record<string, unknown>) =>
    callTool(era, extendedServer(catalog.gateway), name, args);

  it('are in the hits of their skills, in structure and in text', async () => {
    const result = await call('search_skills', { query: 'fill in PDF forms', top_k: 1 });
    expect(result.structuredContent).toMatchObject({
      hits: [{ id: 'pdf-forms', needs: ['tool pdf_read', 'tool pdf_write'] }],
    });
    expect(textOf(result)).toContain('[needs tool pdf_read, tool pdf_write]');
  });

  it('find their skills by a filter, whatever the case', async () => {
    for (const name of ['PDF_write', 'bash']) {
      const found = await call('search_skills', { query: 'fill', filters: { tools: [name] } });
      expect(found.structuredContent).toMatchObject({ hits: [{ id: 'pdf-forms' }] });
    }
    const none = await call('search_skills', { query: 'fill', filters: { tools: ['pdf'] } });
    expect(none.structuredContent).toMatchObject({ hits: [] });
  });

  it('are absent from other hits, and a host’s own tools from all', async () => {
    const kiln = await call('search_skills', { query: 'electric kiln', top_k: 1 });
    expect(JSON.stringify(kiln)).not.toContain('needs');
    const many = await call('search_skills', { query: 'needs many tools', top_k: 1 });
    expect(many.structuredContent).toMatchObject({ hits: [{ id: 'many' }] });
    expect(many.structuredContent).not.toHaveProperty('hits.0.needs');
  });

  it('are all in load_skill', async () => {
    const pdf = await call('load_skill', { skill: 'pdf-forms' });
    expect(pdf.structuredContent).toMatchObject({
      tools: ['pdf_read', 'pdf_write'],
      allowed_tools: ['Read', 'Bash(qpdf:*)'],
    });
    const many = await call('load_skill', { skill: 'many' });
    expect(many.structuredContent).toHaveProperty('allowed_tools.length', 30);
  });
});
