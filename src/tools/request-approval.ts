import { ToolError } from '../core/errors.ts'
import { REQUEST_APPROVAL } from '../core/hold/approval-request.ts'
import type { JsonObject } from '../core/text/json.ts'
import type { Tool, ToolQuestion } from '../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from './define/built-in-version.ts'
import { validateArguments } from './define/json-schema.ts'

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    action: { type: 'string', minLength: 1, description: 'What you want to do, in words that a person can judge.' },
    reason: { type: 'string', description: 'Why it is needed.' },
    details: { description: 'What exactly it is about: text or any JSON. An approval is for these details alone.' },
  },
  required: ['action', 'reason'],
  additionalProperties: false,
}

/** Asks a person to approve an action before it is taken. It never runs: what was decided becomes its result. */
export function requestApproval(): Tool {
  return {
    name: REQUEST_APPROVAL,
    description:
      'Asks a person to approve an action before you take it, and waits. The result says what was decided, by whom and ' +
      'why. An approval covers one call, of exactly this action and these details; a person may have changed them.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    destructive: false,
    resumeMode: 'use_decision_as_tool_result',
    needsApproval: () => null,
    validate: args => validateArguments(INPUT_SCHEMA, args),
    asks: questionOf,
    execute: async () => {
      throw new ToolError('WAITS_FOR_ANSWER', `${REQUEST_APPROVAL} never runs: its result is what a person decides.`)
    },
  }
}

function questionOf({ action, reason, details = null }: JsonObject): ToolQuestion {
  return {
    kind: 'approval',
    message: `May the agent do this: ${text(action)}? ${reason === '' ? 'It gives no reason.' : `Its reason: ${text(reason)}`}`,
    context: details,
    choices: null,
    response_schema: null,
  }
}

function text(said: JsonObject[string] | undefined): string {
  return typeof said === 'string' ? said : JSON.stringify(said ?? null)
}
