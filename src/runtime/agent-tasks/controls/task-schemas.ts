/** JSON Schemas (2020-12) of what the controls of tasks take and give. `test/house/` compares what they give with its types. */
import { AGENT_STATUSES } from '../../../core/fleet/agent-status.ts'
import { PAUSE_KINDS } from '../../../core/run/profile.ts'
import { TASK_STATUSES } from '../../../core/task/task.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import {
  complete,
  described,
  FLAG,
  limited,
  listOf,
  OBJECT,
  object,
  orNull,
  type Schema,
  TEXT,
  text,
  whole,
  words,
} from '../../../core/text/json-schema.ts'

export const NULLABLE_TEXT = orNull(TEXT)
const TASK_ID = text('The id of the task.')
const TITLE = text('One line that tells people what it is for.')
const WORKDIR = text('Where it works: a directory below your own, to which the path is relative. Default: your own.')
const TIMEOUT: Schema<number> = {
  ...{ type: 'number', exclusiveMinimum: 0, maximum: 604_800 },
  description: 'It is stopped after so many seconds of running. Waiting for people does not count. Default: no limit.',
}
const STATUS = words(...TASK_STATUSES)
const COUNT = whole(0)
export const PAGE = { limit: described(whole(1, 500), 'Default: 50.'), after: text('The `next` of the page before.') }

export function either(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] }
}

export function seconds(description: string): Schema<number> {
  return { type: 'number', minimum: 0, maximum: 86_400, description }
}

const ERROR = either(complete({ code: TEXT, message: TEXT }))
const INTEGER: JsonObject = { type: 'integer' }

const SUMMARY = {
  task_id: TEXT,
  kind: described(TEXT, 'command, or agent'),
  title: TEXT,
  host: text('Left out unless several machines share the store: its own.'),
  status: described(STATUS, 'paused: somebody is needed'),
  ...{ run_id: NULLABLE_TEXT, session_id: NULLABLE_TEXT },
  checkpoint_id: described(NULLABLE_TEXT, 'Of an agent: where its run stands.'),
  parent_run_id: described(NULLABLE_TEXT, 'The run whose agent started it.'),
  invocations: whole(1),
  ...{ exit_code: orNull(COUNT), signal: NULLABLE_TEXT, error: ERROR, created_at: TEXT, updated_at: TEXT },
}
export const SUMMARY_SCHEMA = complete(SUMMARY, 'host')

const SUPERVISED = {
  ...SUMMARY,
  agent_status: {
    ...either(words(...AGENT_STATUSES)),
    description: 'Of an agent: how it stands now. waiting: somebody is needed; idle, parked: it waits for a message.',
  },
  because: described(NULLABLE_TEXT, 'Why, in words.'),
}
const SUPERVISED_SCHEMA = complete(SUPERVISED, 'host')

const OUTPUT = complete({
  text: TEXT,
  from: described(INTEGER, 'Where it begins, in bytes from the start of all that was printed.'),
  next: INTEGER,
  size: described(INTEGER, 'All that was printed so far, in bytes.'),
  missing: described(INTEGER, 'Bytes before it that were asked for and are not kept.'),
})

const INVOCATION = complete({
  ...{ n: whole(1), status: STATUS, argv: listOf(TEXT), by: TEXT, surface: TEXT, asked_at: TEXT },
  ...{ started_at: NULLABLE_TEXT, ended_at: NULLABLE_TEXT, supervisor: NULLABLE_TEXT, process: NULLABLE_TEXT },
  ...{ exit_code: orNull(COUNT), signal: NULLABLE_TEXT, error: ERROR },
  ...{ stdout_bytes: orNull(COUNT), stderr_bytes: orNull(COUNT) },
})

/** With keys that are not named here. */
function open(properties: JsonObject, description: string): JsonObject {
  return { type: ['object', 'null'], description, properties, required: Object.keys(properties) }
}

/** What a hold shows depends on its kind. */
export const PAUSE_REASON = open(
  { type: TEXT, pending_tool_calls: listOf(OBJECT), questions: listOf(OBJECT) },
  'What it waits for: type, pending_tool_calls (with full arguments), questions.',
)

const PAUSE = open(
  {
    ...{ checkpoint_id: NULLABLE_TEXT, resumable: FLAG, ready: FLAG },
    ...{ note: NULLABLE_TEXT, agent_message: NULLABLE_TEXT },
  },
  'How to go on with it: checkpoint_id, agent_message, whether it is ready, and a note.',
)

export const RESULT = either(
  complete(
    { final_message: TEXT, termination: OBJECT, failed: described(orNull(OBJECT), 'How its last program failed.') },
    'termination',
  ),
)

export const DETAILS_SCHEMA = complete(
  {
    ...{ ...SUPERVISED, workdir: TEXT, timeout_seconds: { type: ['number', 'null'] } },
    ...{ pause_reason: PAUSE_REASON, pause: PAUSE, result: RESULT, stdout: OUTPUT, stderr: OUTPUT },
    ...{ history: listOf(INVOCATION), children: listOf(SUMMARY_SCHEMA) },
  },
  'host',
)

export const LIST_SCHEMA = complete({ tasks: listOf(SUPERVISED_SCHEMA), next: NULLABLE_TEXT })

export const WAITED_SCHEMA = complete({
  timed_out: described(FLAG, 'True where the wait ended before that. Wait again.'),
  tasks: listOf(SUPERVISED_SCHEMA),
})

export const COMMAND_INPUT = object({
  command: text('A command line, as for bash -c.'),
  argv: limited(listOf(TEXT), {
    minItems: 1,
    description: 'In place of command: a program and its arguments, which no shell reads.',
  }),
  ...{ title: TITLE, workdir: WORKDIR, timeout_seconds: TIMEOUT },
})

export const SUBAGENT_INPUT = object(
  {
    prompt: text('What it is to do. It knows nothing of your conversation: say everything that it needs.'),
    title: TITLE,
    instructions: text('Its system prompt, in place of your own.'),
    tools: limited(listOf(limited(TEXT, { minLength: 1 })), {
      uniqueItems: true,
      description:
        'Names of the tools it may use: never more than you have. Default: yours, but for those that steer tasks.',
    }),
    model: text('provider/model. Default: yours.'),
    max_steps: described(whole(1), 'It is stopped after so many answers of its model.'),
    ...{ timeout_seconds: TIMEOUT, workdir: WORKDIR },
    interactive: described(
      FLAG,
      'True: its process stays when it rests, so that people can attach to it and send_message reaches it at once. It is paused meanwhile, and ends after 300 s without a message.',
    ),
    pause_on: limited(listOf(words(...PAUSE_KINDS)), {
      uniqueItems: true,
      description:
        'approval and question always pause it. With input, an answer in text alone pauses it too, so that you can say more; once it was resumed, such an answer ends it.',
    }),
  },
  ['prompt'],
)

export const DETAILS_INPUT = object(
  {
    task_id: TASK_ID,
    output_bytes: described(
      whole(0, 65_536),
      'How much of the end of stdout and of stderr comes along. Default: 8192.',
    ),
  },
  ['task_id'],
)

export const LIST_INPUT = object({
  status: described(STATUS, 'Only those.'),
  agent_status: described(words(...AGENT_STATUSES), 'Only agents that stand so.'),
  ...PAGE,
})

const TASK_IDS: Schema<string | readonly string[]> = {
  ...{ type: ['array', 'string'], items: TASK_ID, minItems: 1, maxItems: 500, uniqueItems: true, minLength: 1 },
  description: 'The ids of the tasks, or one id.',
}
export const WAIT_INPUT = object(
  {
    task_ids: TASK_IDS,
    until: described(words('any', 'all'), 'any (default): until one of them is over or paused. all: until each is.'),
    timeout_seconds: seconds('The wait ends then at the latest; the tasks go on. Default: 50, or 3600 within a run.'),
  },
  ['task_ids'],
)

export const CANCEL_INPUT = object({ task_id: TASK_ID, reason: text('Recorded.') }, ['task_id'])

/** A pause is answered by one of the first two. */
export const PAUSE_ANSWER = {
  tool_decisions: described(
    listOf(
      object(
        {
          tool_call_id: text('The id of the call, from pause_reason.pending_tool_calls.'),
          approved: FLAG,
          reason: described(NULLABLE_TEXT, 'Recorded, and shown to the agent on rejection.'),
          arguments: described(orNull(OBJECT), 'With an approval: run it with these instead.'),
        },
        ['tool_call_id', 'approved'],
      ),
    ),
    'One for each call that waits; a call that is left out is rejected. Not together with prompt.',
  ),
  prompt: described(TEXT, 'The answer to its question, or what it is to do next, also when it is done.'),
  checkpoint_id: text('The pause that this is for, from pause.checkpoint_id. Refused where the task has moved on.'),
}
export const RESUME_INPUT = object({ task_id: TASK_ID, ...PAUSE_ANSWER }, ['task_id'])

export const MESSAGE_INPUT = object(
  {
    task_id: TASK_ID,
    text: text('What to say.'),
    now: described(FLAG, 'True: in place of the calls that wait for a decision, which are cancelled.'),
    interrupt: described(FLAG, 'True: in place of what runs, too, which is stopped for it.'),
    input_id: text('Your idempotency key: a message that is sent twice with it is one.'),
  },
  ['task_id', 'text'],
)

export const SENT_SCHEMA = complete({
  outcome: words('queued', 'answered', 'superseded', 'started', 'duplicate'),
  run_id: TEXT,
  status: described(TEXT, 'How the agent stands now: running, waiting, idle, parked, done, …'),
  because: TEXT,
})
