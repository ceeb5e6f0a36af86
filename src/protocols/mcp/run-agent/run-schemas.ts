/** The listings of the tools that run agents, in the words of the tools for tasks. */

import type { JsonObject } from '../../../core/text/json.ts'
import { complete, object, text } from '../../../core/text/json-schema.ts'
import {
  NULLABLE_TEXT,
  PAUSE_ANSWER,
  PAUSE_REASON,
  RESULT,
} from '../../../runtime/agent-tasks/controls/task-schemas.ts'
import type { listedAs } from '../offer/mcp-tool.ts'

type Listing = Parameters<typeof listedAs>[0]

const RUN_ID = text('The id of the run.')
const WAIT = { type: 'number', minimum: 0, maximum: 86_400 }
const WAITS: JsonObject = {
  ...WAIT,
  description: 'The call is answered then at the latest; the run goes on. Default: 50.',
}

const RUN = {
  run_id: { type: 'string' },
  session_id: { type: 'string' },
  agent: { type: 'string' },
  status: { type: 'string', enum: ['running', 'paused', 'completed', 'failed', 'cancelled'] },
  checkpoint_id: NULLABLE_TEXT,
  pause_reason: PAUSE_REASON,
  pause: { type: ['object', 'null'], description: 'What resume_run takes, and what the agent said.' },
  plan: {
    type: ['array', 'null'],
    items: { type: 'object' },
    description: 'The list of steps that the agent wrote last.',
  },
  result: RESULT,
  note: { ...NULLABLE_TEXT, description: 'What to do next.' },
}
const RUN_SCHEMA = complete(RUN)

const WORKS = { readOnly: false, destructive: true, idempotent: false, openWorld: true }

/** Names the agents, so that a model can choose; another name is refused when it is called. */
export function runAgentListing(agents: readonly string[]): Listing {
  const known = agents.length === 0 ? '' : ` Known: ${agents.join(', ')}.`
  return {
    name: 'run_agent',
    title: 'Run an agent',
    description:
      'Has an agent of this server do something, and answers with its result. If it needs an approval or an answer, the ' +
      'person at this client is asked, if the client can do that; otherwise the status is paused. If it takes too long, ' +
      'the status is running: wait with get_run. Nothing that ends a call stops the agent.',
    inputSchema: object(
      {
        prompt: text('What it is to do. It knows nothing of your conversation: say everything that it needs.'),
        agent: text(`The name of the agent. Default: the agent of the project.${known}`),
        timeout_seconds: WAITS,
      },
      ['prompt'],
    ),
    outputSchema: RUN_SCHEMA,
    hints: WORKS,
  }
}

export const RESUME_RUN: Listing = {
  name: 'resume_run',
  title: 'Decide what a paused run waits for, and wait for what comes of it',
  description:
    'Gives a paused run what it waits for: tool_decisions if calls wait for approval, prompt if it asked a question or ' +
    'waits for a text. Exactly one of the two. Decide nothing that a person should decide.',
  inputSchema: object({ run_id: RUN_ID, ...PAUSE_ANSWER, timeout_seconds: WAITS }, ['run_id']),
  outputSchema: RUN_SCHEMA,
  hints: { ...WORKS, idempotent: true },
}

export const GET_RUN: Listing = {
  name: 'get_run',
  title: 'Look at a run, or wait for it',
  description:
    'Tells where a run stands: its status, what it waits for with every pending call in full, and its result. With ' +
    'timeout_seconds it first waits until the run is paused or over.',
  inputSchema: object(
    { run_id: RUN_ID, timeout_seconds: { ...WAIT, description: 'Wait so long at most. Default: 0.' } },
    ['run_id'],
  ),
  outputSchema: RUN_SCHEMA,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
}
