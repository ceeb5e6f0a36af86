import { TASK_STATUSES } from '../../../core/task/task.ts'
import {
  described,
  listOf,
  OBJECT,
  object,
  orNull,
  type Schema,
  TEXT,
  whole,
  words,
} from '../../../core/text/json-schema.ts'
import type { Choices } from '../../../runtime/pauses/chosen-decisions.ts'
import { type RestRoute, verb } from '../route/rest-route.ts'
import { NAME, PAGE, WORDS } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such task.' }
const NEWEST = 'newest'

const CHOICE = object(
  {
    id: described(NAME, 'A call that waits, or its hold.'),
    verdict: words('approve', 'reject', 'edit', 'answer'),
    arguments: described(OBJECT, 'With `edit`: what to run instead, in full.'),
    text: described(TEXT, 'With `answer`.'),
    reason: orNull(TEXT),
  },
  ['id', 'verdict'],
)
const REST: Schema = { type: ['string', 'null'], enum: ['approve', 'reject', null] }
const CHOICES = object(
  { each: listOf(CHOICE), rest: described(REST, 'The verdict on all other calls.'), reason: orNull(TEXT) },
  ['each', 'rest', 'reason'],
) as Schema<Choices>

export const TASK_ROUTES: readonly RestRoute[] = [
  verb('tasks.list', {
    summary: 'Commands and agents that run as tasks, newest first',
    query: { status: words(...TASK_STATUSES), kind: NAME, run_id: NAME, ...PAGE },
    answers: { 200: '#Tasks' },
    call: async ({ query: { run_id: subject, ...query } }, { holdpoint }) =>
      holdpoint.tasks.list({ ...query, ...(subject !== undefined && { subject }) }),
  }),
  verb('tasks.details', {
    summary: 'All that is known of a task, with the end of its output',
    answers: { 200: '#Task', ...UNKNOWN },
  }),
  verb('tasks.invocation', {
    summary: 'One process of a task by its number from 1, or `newest`',
    answers: { 200: '#Invocation', 404: 'There is no such task or invocation.' },
    call: async ({ id, params: { n = '' } }, { holdpoint }) =>
      holdpoint.tasks.invocation(id, n === NEWEST ? null : Number(n)),
  }),
  verb('tasks.output', {
    summary: 'A piece of what a task printed, as far as it is kept',
    query: {
      stream: words('stdout', 'stderr'),
      invocation: described(whole(0), 'Default: the newest.'),
      from: described(whole(0), 'In bytes. Default: 0.'),
      limit: described(whole(0, 65_536), 'In bytes. Default: 65536.'),
    },
    answers: { 200: '#TaskOutput', ...UNKNOWN },
    call: async ({ id, query }, { holdpoint }) => holdpoint.tasks.output(id, { stream: 'stdout', ...query }),
  }),
  verb('tasks.cancel', {
    summary: 'Stop what runs of a task, and end its run for good',
    body: object({ reason: TEXT }),
    answers: { 200: '#TaskSummary', ...UNKNOWN },
  }),
  verb('tasks.resume', {
    summary: 'Give a paused agent what it waits for; without a word it goes on with what was decided',
    body: object({
      choices: CHOICES,
      text: WORDS,
      checkpoint_id: described(NAME, 'The pause that it is for. If the task has moved on, it is refused.'),
    }),
    answers: { 200: '#TaskSummary', ...UNKNOWN, 409: 'The task does not wait, or has moved on.' },
    call: async ({ id, body, by: asker }, { holdpoint }) => {
      const { choices = null, text: prompt = null, checkpoint_id = null } = body
      if (choices === null && prompt === null && checkpoint_id === null) return holdpoint.tasks.goOn(id, asker)
      return holdpoint.tasks.resume(id, { answer: { choices, prompt, finish: false }, checkpoint_id, asker })
    },
  }),
]
