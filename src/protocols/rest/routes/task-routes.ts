import { TASK_STATUSES } from '../../../core/task/task.ts'
import type { OutputRequest } from '../../../ports/process/task-manager.ts'
import type { TaskQuery } from '../../../ports/store/fleet/task-registry.ts'
import type { Choices } from '../../../runtime/pauses/chosen-decisions.ts'
import { type RestRoute, signature } from '../route/rest-route.ts'
import { described, listOf, NAME, object, PAGE, TEXT, words } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such task.' }
const NEWEST = 'newest'
const WHOLE = { type: 'integer', minimum: 0 }

const CHOICE = object(
  {
    id: described(NAME, 'A call that waits, or its hold.'),
    verdict: words('approve', 'reject', 'edit', 'answer'),
    arguments: described({ type: 'object' }, 'With `edit`: what to run instead, in full.'),
    text: described(TEXT, 'With `answer`.'),
    reason: { type: ['string', 'null'] },
  },
  ['id', 'verdict'],
)

const CHOICES = object(
  {
    each: listOf(CHOICE),
    rest: described({ type: ['string', 'null'], enum: ['approve', 'reject', null] }, 'The verdict on all other calls.'),
    reason: { type: ['string', 'null'] },
  },
  ['each', 'rest', 'reason'],
)

interface ResumeBody {
  readonly choices?: Choices
  readonly text?: string
  readonly checkpoint_id?: string
}

export const TASK_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/tasks',
    role: 'viewer',
    summary: 'Commands and agents that run as tasks, newest first',
    query: { status: words(...TASK_STATUSES), kind: NAME, run_id: NAME, ...PAGE },
    answers: { 200: '#Tasks' },
    answer: async ({ query }, { holdpoint }) => {
      const { run_id, ...asked } = query as TaskQuery & { readonly run_id?: string }
      return Response.json(await holdpoint.tasks.list({ ...asked, ...(run_id !== undefined && { subject: run_id }) }))
    },
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id',
    role: 'viewer',
    summary: 'All that is known of a task, with the end of its output',
    answers: { 200: '#Task', ...UNKNOWN },
    answer: async ({ params: { id = '' }, caller, proof }, { holdpoint }) =>
      Response.json(await holdpoint.tasks.details(id, signature({ caller, proof }))),
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id/invocations/:n',
    role: 'viewer',
    summary: 'One process of a task by its number from 1, or `newest`',
    answers: { 200: '#Invocation', 404: 'There is no such task or invocation.' },
    answer: async ({ params: { id = '', n = '' } }, { holdpoint }) =>
      Response.json(await holdpoint.tasks.invocation(id, n === NEWEST ? null : Number(n))),
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id/output',
    role: 'viewer',
    summary: 'A piece of what a task printed, as far as it is kept',
    query: {
      stream: words('stdout', 'stderr'),
      invocation: described(WHOLE, 'Default: the newest.'),
      from: described(WHOLE, 'In bytes. Default: 0.'),
      limit: described({ ...WHOLE, maximum: 65_536 }, 'In bytes. Default: 65536.'),
    },
    answers: { 200: '#TaskOutput', ...UNKNOWN },
    answer: async ({ params: { id = '' }, query }, { holdpoint }) => {
      const asked = query as Partial<OutputRequest>
      return Response.json(await holdpoint.tasks.output(id, { stream: 'stdout', ...asked }))
    },
  },
  {
    method: 'POST',
    path: '/v1/tasks/:id/cancel',
    role: 'operator',
    summary: 'Stop what runs of a task, and end its run for good',
    body: object({ reason: TEXT }),
    answers: { 200: '#TaskSummary', ...UNKNOWN },
    answer: async ({ params: { id = '' }, body, caller, proof }, { holdpoint }) => {
      const { reason = null } = body as { readonly reason?: string }
      return Response.json(await holdpoint.tasks.cancel(id, { ...signature({ caller, proof }), reason }))
    },
  },
  {
    method: 'POST',
    path: '/v1/tasks/:id/resume',
    role: 'operator',
    summary: 'Give a paused agent what it waits for; without a word it goes on with what was decided',
    body: object({
      choices: CHOICES,
      text: { ...TEXT, minLength: 1 },
      checkpoint_id: described(NAME, 'The pause that it is for. If the task has moved on, it is refused.'),
    }),
    answers: { 200: '#TaskSummary', ...UNKNOWN, 409: 'The task does not wait, or has moved on.' },
    answer: async ({ params: { id = '' }, body, caller, proof }, { holdpoint }) => {
      const asker = signature({ caller, proof })
      const { choices = null, text: prompt = null, checkpoint_id = null } = body as ResumeBody
      if (choices === null && prompt === null && checkpoint_id === null)
        return Response.json(await holdpoint.tasks.goOn(id, asker))
      const answer = { choices, prompt, finish: false }
      return Response.json(await holdpoint.tasks.resume(id, { answer, checkpoint_id, asker }))
    },
  },
]
