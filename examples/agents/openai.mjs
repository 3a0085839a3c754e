/**
 * An agent on OpenAI's Chat Completions, or any server that speaks the same (Ollama, vLLM, LM Studio …: OPENAI_BASE_URL).
 *
 *     npm install skillgate openai
 *     OPENAI_API_KEY=… MODEL=… node openai.mjs "our mails land in the junk folder"
 */

import { createSkillgate } from 'skillgate';

const { MODEL } = process.env;
const TURNS = 12;

/** `client` is an `OpenAI` of the package openai; `options` are those of createSkillgate. */
export async function answer(client, task, options = {}) {
  const skillgate = await createSkillgate(options);
  try {
    const tools = await skillgate.tools('openai');
    const messages = [{ role: 'user', content: task }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { choices } = await client.chat.completions.create({ model: MODEL, tools, messages });
      const { message } = choices[0];
      messages.push(message);
      if (!message.tool_calls?.length) return message.content;
      for (const { id, function: called } of message.tool_calls) {
        // The arguments are JSON text, and a wrong one gets a result that says so.
        const { text } = await skillgate.call(called.name, called.arguments);
        messages.push({ role: 'tool', tool_call_id: id, content: text });
      }
    }
    throw new Error(`There was no answer after ${TURNS} turns.`);
  } finally {
    await skillgate.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  if (!MODEL) throw new Error('Name a model of your account: MODEL=…');
  const { default: OpenAI } = await import('openai');
  console.log(await answer(new OpenAI(), process.argv.slice(2).join(' ')));
}
