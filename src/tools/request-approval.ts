import { ToolError } from '../core/errors.ts'
import { REQUEST_APPROVAL } from '../core/hold/approval-request.ts'
import type { JsonObject } from '../core/text/json.ts'
import { described, object, TEXT, text } from '../core/text/json-schema.ts'
import type { Tool, ToolQuestion } from '../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from './define/built-in-version.ts'
import { validateArguments } from './define/json-schema.ts'

const INPUT_SCHEMA = object(
  {
    action: text('What you want to do, in words that a person can judge.'),
    reason: described(TEXT, 'Why it is needed.'),
    details: { description: 'What exactly it is about: text or any JSON. An approval is for these details alone.' },
  },
  ['action', 'reason'],
)

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
    title: ({ action = '' }) => said(action),
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
    message: `May the agent do this: ${said(action)}? ${reason === '' ? 'It gives no reason.' : `Its reason: ${said(reason)}`}`,
    context: details,
    choices: null,
    response_schema: null,
  }
}

function said(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
