/**
 * An agent on Anthropic's Messages API: it looks for a skill, loads it, and follows it.
 *
 *     npm install skillgate @anthropic-ai/sdk
 *     ANTHROPIC_API_KEY=… MODEL=… node anthropic.mjs "our mails land in the junk folder"
 */

import { createSkillgate } from 'skillgate';

const { MODEL } = process.env;
const TURNS = 12;

/** `client` is an `Anthropic` of @anthropic-ai/sdk; `options` are those of createSkillgate. */
export async function answer(client, task, options = {}) {
  const skillgate = await createSkillgate(options);
  try {
    const tools = await skillgate.tools('anthropic');
    const messages = [{ role: 'user', content: task }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { content } = await client.messages.create({ model: MODEL, max_tokens: 4_096, tools, messages });
      messages.push({ role: 'assistant', content });
      const calls = content.filter(({ type }) => type === 'tool_use');
      if (calls.length === 0) return content.map(({ text = '' }) => text).join('');
      const results = calls.map(async ({ id, name, input }) => {
        const { text, is_error } = await skillgate.call(name, input);
        return { type: 'tool_result', tool_use_id: id, content: text, is_error };
      });
      messages.push({ role: 'user', content: await Promise.all(results) });
    }
    throw new Error(`There was no answer after ${TURNS} turns.`);
  } finally {
    await skillgate.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  if (!MODEL) throw new Error('Name a model of your account: MODEL=…');
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  console.log(await answer(new Anthropic(), process.argv.slice(2).join(' ')));
}
