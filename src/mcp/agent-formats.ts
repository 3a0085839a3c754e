/** The tools in the forms that model providers and frameworks take: plain objects and functions, without their packages. */

import type { AgentTool } from './agent-tools.ts';

/** Marks a schema object of the Vercel AI SDK, which it registers globally. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');

const errorOf = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

export const AGENT_FORMATS = {
  'ai-sdk': (tools: readonly AgentTool[]) =>
    Object.fromEntries(
      tools.map(({ name, description, parameters, call, check }) => {
        const validate = (value: unknown) => {
          try {
            check(value);
            return { success: true as const, value };
          } catch (error) {
            return { success: false as const, error: errorOf(error) };
          }
        };
        const standard = (value: unknown) => {
          const result = validate(value);
          return result.success ? { value } : { issues: [{ message: result.error.message }] };
        };
        const inputSchema = {
          [AI_SDK_SCHEMA]: true,
          jsonSchema: parameters,
          validate,
          // Its types take a Standard Schema (standardschema.dev) from those who do not import its symbol.
          '~standard': { version: 1 as const, vendor: 'skillgate', validate: standard },
        };
        return [
          name,
          { description, inputSchema, execute: async (input: unknown) => (await call(input)).text },
        ];
      }),
    ),
  openai: (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters },
    })),
  // `strict` would require that every argument is given.
  'openai-responses': (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      name,
      description,
      parameters,
      strict: false as const,
    })),
  anthropic: (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  langchain: (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters, call }) => {
      const func = async (input: unknown) => (await call(input)).text;
      return { name, description, schema: parameters, func, invoke: func };
    }),
};
