/**
 * An agent with LangChain: any chat model that takes tools.
 *
 *     npm install skillgate @langchain/openai
 *     OPENAI_API_KEY=… MODEL=… node langchain.mjs "our mails land in the junk folder"
 */

import { createSkillgate } from 'skillgate';

const TURNS = 12;

/** `model` is a chat model of LangChain; `options` are those of createSkillgate. */
export async function answer(model, task, options = {}) {
  const skillgate = await createSkillgate(options);
  try {
    const tools = await skillgate.tools('langchain');
    const bound = model.bindTools(tools);
    const messages = [{ role: 'user', content: task }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const message = await bound.invoke(messages);
      messages.push(message);
      if (!message.tool_calls?.length) return message.content;
      for (const { id, name, args } of message.tool_calls) {
        const tool = tools.find((each) => each.name === name);
        const content = tool === undefined ? `There is no tool ${name}.` : await tool.invoke(args);
        messages.push({ role: 'tool', tool_call_id: id, content });
      }
    }
    throw new Error(`There was no answer after ${TURNS} turns.`);
  } finally {
    await skillgate.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { MODEL } = process.env;
  if (!MODEL) throw new Error('Name a model of your account: MODEL=…');
  const { ChatOpenAI } = await import('@langchain/openai');
  console.log(await answer(new ChatOpenAI({ model: MODEL }), process.argv.slice(2).join(' ')));
}
