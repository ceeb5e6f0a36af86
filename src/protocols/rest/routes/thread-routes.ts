import { fold } from '../../../core/journal/fold.ts'
import type { Content } from '../../../core/message/part.ts'
import type { MessageInput, WhileWaiting } from '../../../runtime/threads/send-message.ts'
import { type RestRoute, SURFACE } from '../route/rest-route.ts'
import { runDocument } from '../route/run-documents.ts'
import { described, listOf, NAME, object, TEXT, words } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such thread.' }

/** A text, or parts: text, images, files. The face checks the parts. */
const CONTENT = {
  anyOf: [
    { ...TEXT, minLength: 1 },
    { ...listOf({ type: 'object' }), minItems: 1 },
  ],
}

interface StartBody {
  readonly agent?: string
  readonly input: Content
}

interface MessageBody {
  readonly text: string
  readonly while_waiting?: WhileWaiting
  readonly reply_to?: string
}

export const THREAD_ROUTES: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/v1/threads',
    role: 'operator',
    summary: 'Start a run on a new thread; a worker advances it',
    body: object({ agent: described(NAME, 'Default: the agent of the project.'), input: CONTENT }, ['input']),
    answers: { 201: '#Started', 422: 'There is no such agent, or the input is not one.' },
    answer: async ({ body, caller: { name: author } }, { holdpoint, profileOf }) => {
      const { agent = null, input } = body as StartBody
      const profile = await profileOf(agent)
      const { id: run_id, thread_id } = await holdpoint.start({ profile, input, author, surface: SURFACE })
      const headers = { location: `/v1/threads/${thread_id}` }
      return Response.json({ run_id, thread_id }, { status: 201, headers })
    },
  },
  {
    method: 'GET',
    path: '/v1/threads/:id',
    role: 'viewer',
    summary: 'A thread: its newest run as it stands, with what it waits for',
    answers: { 200: '#Thread', ...UNKNOWN },
    answer: async ({ params: { id = '' } }, { holdpoint }) => {
      const thread = await holdpoint.thread(id)
      const view = await holdpoint.view(thread)
      return Response.json({ thread_id: id, seq: thread.seq, run: view && runDocument(view) })
    },
  },
  {
    method: 'GET',
    path: '/v1/threads/:id/messages',
    role: 'viewer',
    summary: 'The conversation as people see it, or as the model would get it',
    query: { view: described(words('human', 'model'), 'Default: human.') },
    answers: { 200: '#Messages', ...UNKNOWN },
    answer: async ({ params: { id = '' }, query }, { holdpoint }) => {
      const { view = 'human' } = query as { readonly view?: 'human' | 'model' }
      if (view === 'human') return Response.json({ thread_id: id, messages: await holdpoint.messages(id) })
      const { messages, run } = fold(id, await holdpoint.journal(id))
      return Response.json({ thread_id: id, system: run?.profile.instructions ?? null, messages })
    },
  },
  {
    method: 'POST',
    path: '/v1/threads/:id/messages',
    role: 'operator',
    summary: 'Send a message to the newest run of a thread, in the name of the token',
    takesKey: true,
    body: object(
      {
        text: { ...TEXT, minLength: 1 },
        while_waiting: described(
          words('reject', 'queue', 'supersede'),
          'What becomes of it while holds are open. Default: reject.',
        ),
        reply_to: described(NAME, 'The message that asked, or the id of its hold: to reply to it is to decide it.'),
      },
      ['text'],
    ),
    answers: { 202: '#Sent', ...UNKNOWN, 409: 'The run waits for decisions, or moved on meanwhile.' },
    answer: async ({ params: { id = '' }, body, caller: { name: author }, key }, { holdpoint }) => {
      const { text, while_waiting: whileWaiting = 'reject', reply_to } = body as MessageBody
      const message: MessageInput = {
        ...{ text, author, surface: SURFACE },
        ...(reply_to !== undefined && { replyTo: reply_to }),
        ...(key !== null && { inputId: key }),
      }
      return Response.json(await holdpoint.send(id, message, { whileWaiting }), { status: 202 })
    },
  },
  {
    method: 'GET',
    path: '/v1/threads/:id/checkpoints',
    role: 'viewer',
    summary: 'The places of a thread that a fork can begin from, oldest first',
    answers: { 200: '#Checkpoints', ...UNKNOWN },
    answer: async ({ params: { id = '' } }, { holdpoint }) =>
      Response.json({ thread_id: id, checkpoints: await holdpoint.checkpoints(id) }),
  },
]
