import { ToolError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/text/json.ts'
import { described, limited, listOf, OBJECT, object, TEXT, text } from '../core/text/json-schema.ts'
import type { Tool, ToolQuestion, Validated } from '../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from './define/built-in-version.ts'
import { validateArguments } from './define/json-schema.ts'
import { schemaFault } from './define/schemas/schema-fault.ts'

const INPUT_SCHEMA = object(
  {
    question: text('What you need to know, in full sentences.'),
    context: { description: 'What the person should know to answer: text or any JSON.' },
    choices: limited(listOf(limited(TEXT, { minLength: 1 })), {
      ...{ minItems: 1, uniqueItems: true },
      description: 'The answers to choose from, where there are only a few.',
    }),
    schema: described(OBJECT, 'JSON Schema that the answer must fit, where free text will not do.'),
  },
  ['question'],
)

/** A question to a person. It never runs: its call waits, and the answer becomes its result. */
export function askHuman(): Tool {
  return {
    name: 'ask_human',
    description:
      'Asks a person a question and waits for the answer, which is the result. ' +
      'Use it when you need a decision or information that only a person has.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    destructive: false,
    needsApproval: () => null,
    validate,
    asks: questionOf,
    execute: async () => {
      throw new ToolError('WAITS_FOR_ANSWER', 'ask_human never runs: its result is the answer of a person.')
    },
  }
}

async function validate(args: JsonObject): Promise<Validated> {
  const checked = await validateArguments(INPUT_SCHEMA, args)
  if (!checked.ok) return checked
  const { schema } = args
  const fault = isJsonObject(schema) ? schemaFault(schema, 'arguments.schema') : null
  return fault === null ? checked : { ok: false, issues: `${fault}; no answer could fit it` }
}

function questionOf(args: JsonObject): ToolQuestion {
  const { question, context = null, choices, schema } = args
  return {
    message: typeof question === 'string' ? question : JSON.stringify(question ?? null),
    context,
    choices: Array.isArray(choices) && choices.length > 0 ? choices.map((choice: Json) => String(choice)) : null,
    response_schema: isJsonObject(schema) ? schema : null,
  }
}
