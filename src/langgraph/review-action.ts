import type { JsonObject } from '../core/text/json.ts'
import type { Tool } from '../ports/agent/tool.ts'
import { REVIEW_ACTION } from './asks.ts'

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    action: { type: 'string', minLength: 1, description: 'What the graph is about to do.' },
    args: { description: 'With what.' },
    description: { type: 'string' },
  },
  required: ['action', 'args'],
  additionalProperties: false,
}

/** An action of a graph that people approve, change or reject. It does nothing but say what they approved. */
export function reviewActionTool(): Tool {
  return {
    name: REVIEW_ACTION,
    description: 'Asks a person about an action of the graph before it is taken.',
    inputSchema: INPUT_SCHEMA,
    version: '1',
    idempotent: true,
    destructive: false,
    needsApproval: () => true,
    validate: args =>
      typeof args['action'] === 'string' && args['action'] !== '' && args['args'] !== undefined
        ? { ok: true, value: args }
        : { ok: false, issues: 'an action needs its name as `action`, and its arguments as `args`' },
    execute: async ({ action = null, args = null }) => ({ action, args }),
  }
}
