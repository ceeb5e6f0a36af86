import { fold } from '../../../core/journal/fold.ts'
import type { Content, ContentPart } from '../../../core/message/part.ts'
import { type MessageInput, WHILE_WAITING, type WhileWaiting } from '../../../runtime/threads/send-message.ts'
import type { MessageContent } from '../../../runtime/views/message-content.ts'
import { type RestRoute, surfaceOf } from '../route/rest-route.ts'
import { runDocument } from '../route/run-documents.ts'
import { CONTENT, described, FLAG, NAME, object, SAID, words } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such thread.' }

interface StartBody {
  readonly agent?: string
  readonly input: Content
}

interface MessageBody {
  readonly text?: string
  readonly parts?: readonly ContentPart[]
  readonly while_waiting?: WhileWaiting
  readonly only_to?: string
  readonly reply_to?: string
}

export const THREAD_ROUTES: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/v1/threads',
    role: 'operator',
    summary: 'Start a run on a new thread; a worker advances it',
    takesKey: true,
    body: object({ agent: described(NAME, 'Default: the agent of the project.'), input: CONTENT }, ['input']),
    answers: {
      201: '#Started',
      409: 'This caller started another run with this key.',
      422: 'There is no such agent, or the input is not one.',
    },
    answer: async ({ body, caller: { name: author }, proof, key }, { holdpoint, profileOf }) => {
      const { agent = null, input } = body as StartBody
      const profile = await profileOf(agent)
      const once = key === null ? {} : { startId: key }
      const started = await holdpoint.start({ profile, input, author, surface: surfaceOf(proof), ...once })
      const { id: run_id, thread_id, checkpoint_id } = started
      const headers = { location: `/v1/threads/${thread_id}` }
      return Response.json({ run_id, thread_id, checkpoint_id }, { status: 201, headers })
    },
  },
  {
    method: 'GET',
    path: '/v1/threads/:id',
    role: 'viewer',
    summary: 'A thread: its newest run as it stands, with what it waits for',
    query: { messages: described(FLAG, 'Also its messages, as the model would get them.') },
    answers: { 200: '#Thread', ...UNKNOWN },
    answer: async ({ params: { id = '' }, query }, { holdpoint }) => {
      const thread = await holdpoint.thread(id)
      const view = await holdpoint.view(thread)
      const { seq, messages } = thread
      const said = (query as { readonly messages?: boolean }).messages === true ? { messages } : {}
      const exported = await holdpoint.bundles.exported(id)
      return Response.json({ thread_id: id, seq, exported, run: view && runDocument(view), ...said })
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
    body: object({
      ...SAID,
      while_waiting: described(words(...WHILE_WAITING), 'What becomes of it while holds are open. Default: reject.'),
      only_to: described(NAME, 'The run that it is for: refused as `superseded` if that is over.'),
      reply_to: described(NAME, 'The message that asked, or the id of its hold: to reply to it is to decide it.'),
    }),
    answers: { 202: '#Sent', ...UNKNOWN, 409: 'The run waits for decisions, or moved on meanwhile.' },
    answer: async ({ params: { id = '' }, body, caller: { name: author }, proof, key }, { holdpoint }) => {
      const { while_waiting: whileWaiting = 'reject', only_to: onlyTo, reply_to, ...content } = body as MessageBody
      const message: MessageInput = {
        ...(content as MessageContent),
        ...{ author, surface: surfaceOf(proof) },
        ...(reply_to !== undefined && { replyTo: reply_to }),
        ...(key !== null && { inputId: key }),
      }
      const options = { whileWaiting, ...(onlyTo !== undefined && { onlyTo }) }
      return Response.json(await holdpoint.send(id, message, options), { status: 202 })
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
  {
    method: 'GET',
    path: '/v1/checkpoints/:id',
    role: 'viewer',
    summary: 'A run as it stood at a checkpoint, with the holds that were open then',
    answers: { 200: '#RunAtCheckpoint', 404: 'There is no such checkpoint.' },
    answer: async ({ params: { id: checkpoint_id = '' } }, { holdpoint }) => {
      const place = await holdpoint.checkpoint(checkpoint_id)
      const view = await holdpoint.viewAt(place)
      return Response.json({ ...runDocument(view), checkpoint_id, seq: place.seq })
    },
  },
]
