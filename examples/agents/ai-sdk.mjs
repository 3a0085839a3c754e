/**
 * An agent with the Vercel AI SDK, which calls the tools by itself. The model is one of its gateway, or of a provider's package.
 *
 *     npm install skillgate ai
 *     AI_GATEWAY_API_KEY=… MODEL=… node ai-sdk.mjs "our mails land in the junk folder"
 */

import { createSkillgate } from 'skillgate';

const STEPS = 12;

/** `sdk` is the package ai, `model` a model of one of its providers; `options` are those of createSkillgate. */
export async function answer({ sdk, model }, task, options = {}) {
  const skillgate = await createSkillgate(options);
  try {
    const tools = await skillgate.tools('ai-sdk');
    const { text } = await sdk.generateText({ model, tools, prompt: task, stopWhen: sdk.stepCountIs(STEPS) });
    return text;
  } finally {
    await skillgate.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { MODEL: model } = process.env;
  if (!model) throw new Error('Name a model of your account: MODEL=…, such as openai/…');
  console.log(await answer({ sdk: await import('ai'), model }, process.argv.slice(2).join(' ')));
}
