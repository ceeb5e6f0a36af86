/** JSON Schemas (2020-12) of what the controls of tasks take and give. */

import { AGENT_STATUSES } from '../../../core/fleet/agent-status.ts'
import { PAUSE_KINDS } from '../../../core/run/profile.ts'
import { TASK_STATUSES } from '../../../core/task/task.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import { NULLABLE_TEXT, namesBut, object, orNull, text } from './schema-parts.ts'

const TASK_ID = text('The id of the task.')
const TITLE = text('One line that tells people what it is for.')
const WORKDIR = text('Where it works: a directory below your own, to which the path is relative. Default: your own.')
const TIMEOUT: JsonObject = {
  type: 'number',
  exclusiveMinimum: 0,
  maximum: 604_800,
  description: 'It is stopped after so many seconds of running. Waiting for people does not count. Default: no limit.',
}
const STATUS: JsonObject = { type: 'string', enum: [...TASK_STATUSES] }
const NULLABLE_NUMBER: JsonObject = { type: ['number', 'null'] }
const NULLABLE_COUNT: JsonObject = { type: ['integer', 'null'], minimum: 0 }
const ERROR = orNull(object({ code: { type: 'string' }, message: { type: 'string' } }, ['code', 'message']))

const SUMMARY: JsonObject = {
  task_id: { type: 'string' },
  kind: { type: 'string', description: 'command, or agent' },
  title: { type: 'string' },
  host: text('Left out unless several machines share the store: its own.'),
  status: { ...STATUS, description: 'paused: somebody is needed' },
  ...{ run_id: NULLABLE_TEXT, session_id: NULLABLE_TEXT },
  checkpoint_id: { ...NULLABLE_TEXT, description: 'Of an agent: where its run stands.' },
  parent_run_id: { ...NULLABLE_TEXT, description: 'The run whose agent started it.' },
  invocations: { type: 'integer', minimum: 1 },
  exit_code: NULLABLE_COUNT,
  signal: NULLABLE_TEXT,
  error: ERROR,
  created_at: { type: 'string' },
  updated_at: { type: 'string' },
}

export const SUMMARY_SCHEMA: JsonObject = object(SUMMARY, namesBut('host', SUMMARY))

const STANDING: JsonObject = {
  agent_status: {
    ...orNull({ type: 'string', enum: [...AGENT_STATUSES] }),
    description: 'Of an agent: how it stands now. waiting: somebody is needed; idle, parked: it waits for a message.',
  },
  because: { ...NULLABLE_TEXT, description: 'Why, in words.' },
}
const SUPERVISED: JsonObject = { ...SUMMARY, ...STANDING }
const SUPERVISED_SCHEMA = object(SUPERVISED, namesBut('host', SUPERVISED))

const OUTPUT: JsonObject = object(
  {
    text: { type: 'string' },
    from: { type: 'integer', description: 'Where it begins, in bytes from the start of all that was printed.' },
    next: { type: 'integer' },
    size: { type: 'integer', description: 'All that was printed so far, in bytes.' },
    missing: { type: 'integer', description: 'Bytes before it that were asked for and are not kept.' },
  },
  ['text', 'from', 'next', 'size', 'missing'],
)

const INVOCATION: JsonObject = {
  n: { type: 'integer', minimum: 1 },
  status: STATUS,
  argv: { type: 'array', items: { type: 'string' } },
  by: { type: 'string' },
  surface: { type: 'string' },
  asked_at: { type: 'string' },
  started_at: NULLABLE_TEXT,
  ended_at: NULLABLE_TEXT,
  supervisor: NULLABLE_TEXT,
  process: NULLABLE_TEXT,
  exit_code: NULLABLE_COUNT,
  signal: NULLABLE_TEXT,
  error: ERROR,
  stdout_bytes: NULLABLE_COUNT,
  stderr_bytes: NULLABLE_COUNT,
}

/** Open, because what a hold shows depends on its kind. */
const PAUSE_REASON: JsonObject = {
  type: ['object', 'null'],
  description: 'What it waits for: type, pending_tool_calls (with full arguments), questions.',
  properties: {
    type: { type: 'string' },
    pending_tool_calls: { type: 'array', items: { type: 'object' } },
    questions: { type: 'array', items: { type: 'object' } },
  },
  required: ['type', 'pending_tool_calls', 'questions'],
}

const PAUSE: JsonObject = {
  type: ['object', 'null'],
  description: 'How to go on with it: checkpoint_id, agent_message, whether it is ready, and a note.',
  properties: {
    checkpoint_id: NULLABLE_TEXT,
    resumable: { type: 'boolean' },
    ready: { type: 'boolean' },
    note: NULLABLE_TEXT,
    agent_message: NULLABLE_TEXT,
  },
  required: ['checkpoint_id', 'resumable', 'ready', 'note', 'agent_message'],
}

const DETAILS: JsonObject = {
  ...SUPERVISED,
  workdir: { type: 'string' },
  timeout_seconds: NULLABLE_NUMBER,
  pause_reason: PAUSE_REASON,
  pause: PAUSE,
  result: orNull(object({ final_message: { type: 'string' }, termination: { type: 'object' } }, ['final_message'])),
  stdout: OUTPUT,
  stderr: OUTPUT,
  history: { type: 'array', items: object(INVOCATION, Object.keys(INVOCATION)) },
  children: { type: 'array', items: SUMMARY_SCHEMA },
}

export const DETAILS_SCHEMA: JsonObject = object(DETAILS, namesBut('host', DETAILS))

export const LIST_SCHEMA: JsonObject = object(
  { tasks: { type: 'array', items: SUPERVISED_SCHEMA }, next: NULLABLE_TEXT },
  ['tasks', 'next'],
)

export const WAITED_SCHEMA: JsonObject = object(
  {
    timed_out: { type: 'boolean', description: 'True where the wait ended before that. Wait again.' },
    tasks: { type: 'array', items: SUPERVISED_SCHEMA },
  },
  ['timed_out', 'tasks'],
)

export const COMMAND_INPUT: JsonObject = object({
  command: text('A command line, as for bash -c.'),
  argv: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description: 'In place of command: a program and its arguments, which no shell reads.',
  },
  title: TITLE,
  workdir: WORKDIR,
  timeout_seconds: TIMEOUT,
})

export const SUBAGENT_INPUT: JsonObject = object(
  {
    prompt: text('What it is to do. It knows nothing of your conversation: say everything that it needs.'),
    title: TITLE,
    instructions: text('Its system prompt, in place of your own.'),
    tools: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      uniqueItems: true,
      description:
        'Names of the tools it may use: never more than you have. Default: yours, but for those that steer tasks.',
    },
    model: text('provider/model. Default: yours.'),
    max_steps: { type: 'integer', minimum: 1, description: 'It is stopped after so many answers of its model.' },
    timeout_seconds: TIMEOUT,
    workdir: WORKDIR,
    interactive: {
      type: 'boolean',
      description:
        'True: its process stays when it rests, so that people can attach to it and send_message reaches it at once. It is paused meanwhile, and ends after 300 s without a message.',
    },
    pause_on: {
      type: 'array',
      items: { type: 'string', enum: [...PAUSE_KINDS] },
      uniqueItems: true,
      description:
        'approval and question always pause it. With input, an answer in text alone pauses it too, so that you can say more; once it was resumed, such an answer ends it.',
    },
  },
  ['prompt'],
)

export const DETAILS_INPUT: JsonObject = object(
  {
    task_id: TASK_ID,
    output_bytes: {
      type: 'integer',
      minimum: 0,
      maximum: 65_536,
      description: 'How much of the end of stdout and of stderr comes along. Default: 8192.',
    },
  },
  ['task_id'],
)

export const LIST_INPUT: JsonObject = object({
  status: { ...STATUS, description: 'Only those.' },
  agent_status: { type: 'string', enum: [...AGENT_STATUSES], description: 'Only agents that stand so.' },
  limit: { type: 'integer', minimum: 1, maximum: 500, description: 'Default: 50.' },
  after: text('The `next` of the page before.'),
})

export const WAIT_INPUT: JsonObject = object(
  {
    task_ids: {
      type: ['array', 'string'],
      items: TASK_ID,
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      minLength: 1,
      description: 'The ids of the tasks, or one id.',
    },
    until: {
      type: 'string',
      enum: ['any', 'all'],
      description: 'any (default): until one of them is over or paused. all: until each is.',
    },
    timeout_seconds: {
      type: 'number',
      minimum: 0,
      maximum: 86_400,
      description: 'The wait ends then at the latest; the tasks go on. Default: 50, or 3600 within a run.',
    },
  },
  ['task_ids'],
)

export const CANCEL_INPUT: JsonObject = object({ task_id: TASK_ID, reason: text('Recorded.') }, ['task_id'])

export const RESUME_INPUT: JsonObject = object(
  {
    task_id: TASK_ID,
    tool_decisions: {
      type: 'array',
      description: 'One for each call that waits; a call that is left out is rejected. Not together with prompt.',
      items: object(
        {
          tool_call_id: text('The id of the call, from pause_reason.pending_tool_calls.'),
          approved: { type: 'boolean' },
          reason: { type: ['string', 'null'], description: 'Recorded, and shown to the agent on rejection.' },
          arguments: { type: ['object', 'null'], description: 'With an approval: run it with these instead.' },
        },
        ['tool_call_id', 'approved'],
      ),
    },
    prompt: {
      type: 'string',
      description: 'The answer to its question, or what it is to do next, also when it is done.',
    },
    checkpoint_id: text('The pause that this is for, from pause.checkpoint_id. Refused where the task has moved on.'),
  },
  ['task_id'],
)
