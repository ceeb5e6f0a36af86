import { fold } from '../../../core/journal/fold.ts'
import { systemPrompt } from '../../../core/settings/project-instructions.ts'
import { described, FLAG, object, type Schema, TEXT, words } from '../../../core/text/json-schema.ts'
import { type MessageInput, WHILE_WAITING } from '../../../runtime/threads/send-message.ts'
import type { MessageContent } from '../../../runtime/views/message-content.ts'
import { type RestRoute, verb } from '../route/rest-route.ts'
import { runDocument } from '../route/run-documents.ts'
import { CONTENT, NAME, SAID } from '../route/schema-parts.ts'

const INDEX = { type: 'integer', minimum: 0 } as Schema<number>
const PLACE = object({ message: INDEX, part: INDEX }, ['message'])

const UNKNOWN = { 404: 'There is no such thread.' }

export const THREAD_ROUTES: readonly RestRoute[] = [
  verb('start', {
    summary: 'Start a run on a new thread; a worker advances it',
    body: object({ agent: described(NAME, 'Default: the agent of the project.'), input: CONTENT }, ['input']),
    answers: {
      201: '#Started',
      409: 'This caller started another run with this key.',
      422: 'There is no such agent, or the input is not one.',
    },
    call: async ({ body: { agent = null, input }, by, key }, { holdpoint, profileOf }) => {
      const once = key === null ? {} : { startId: key }
      const signed = { author: by.by, surface: by.surface }
      const started = await holdpoint.start({ profile: await profileOf(agent), input, ...signed, ...once })
      const { id: run_id, thread_id, checkpoint_id, warnings } = started
      const headers = { location: `/v1/threads/${thread_id}` }
      return Response.json({ run_id, thread_id, checkpoint_id, warnings }, { status: 201, headers })
    },
  }),
  verb('thread', {
    summary: 'A thread: its newest run as it stands, with what it waits for',
    query: { messages: described(FLAG, 'Also its messages, as the model would get them.') },
    answers: { 200: '#Thread', ...UNKNOWN },
    call: async ({ id, query }, { holdpoint }) => {
      const thread = await holdpoint.thread(id)
      const view = await holdpoint.view(thread)
      const { seq, messages } = thread
      const exported = await holdpoint.bundles.exported(id)
      return { thread_id: id, seq, exported, run: view && runDocument(view), ...(query.messages && { messages }) }
    },
  }),
  verb('messages', {
    summary: 'The conversation as people see it, or as the model would get it',
    query: { view: described(words('human', 'model'), 'Default: human.') },
    answers: { 200: '#Messages', ...UNKNOWN },
    call: async ({ id, query: { view = 'human' } }, { holdpoint }) => {
      if (view === 'human') return { thread_id: id, messages: await holdpoint.messages(id) }
      const { messages, run } = fold(id, await holdpoint.journal(id))
      return { thread_id: id, system: run ? systemPrompt(run.profile) : null, messages }
    },
  }),
  verb('send', {
    summary: 'Send a message to the newest run of a thread, in the name of the token',
    body: object({
      ...SAID,
      while_waiting: described(words(...WHILE_WAITING), 'What becomes of it while holds are open. Default: reject.'),
      only_to: described(NAME, 'The run that it is for: refused as `superseded` if that is over.'),
      reply_to: described(NAME, 'The message that asked, or the id of its hold: to reply to it is to decide it.'),
    }),
    answers: { 202: '#Sent', ...UNKNOWN, 409: 'The run waits for decisions, or moved on meanwhile.' },
    call: async ({ id, body, by, key }, { holdpoint }) => {
      const { while_waiting: whileWaiting = 'reject', only_to: onlyTo, reply_to, ...content } = body
      const message: MessageInput = {
        ...(content as MessageContent),
        ...{ author: by.by, surface: by.surface },
        ...(reply_to !== undefined && { replyTo: reply_to }),
        ...(key !== null && { inputId: key }),
      }
      return holdpoint.send(id, message, { whileWaiting, ...(onlyTo !== undefined && { onlyTo }) })
    },
  }),
  verb('compact', {
    summary: 'Have models sent less of a conversation: a summary of it, or all but one part',
    body: object({
      keep: described(TEXT, 'What the summary keeps in particular.'),
      drop: described(PLACE, 'Instead of a summary: this message, or this part of it, is left out. From 0.'),
    }),
    answers: {
      202: '#CompactionAsked',
      ...UNKNOWN,
      409: 'Nothing was said since the last fold, or the thread moved on.',
    },
    call: async ({ id, body, caller: { name: by } }, { holdpoint }) => holdpoint.compact(id, { by, ...body }),
  }),
  verb('checkpoints', {
    summary: 'The places of a thread that a fork can begin from, oldest first',
    answers: { 200: '#Checkpoints', ...UNKNOWN },
    call: async ({ id }, { holdpoint }) => ({ thread_id: id, checkpoints: await holdpoint.checkpoints(id) }),
  }),
  verb('runAt', {
    summary: 'A run as it stood at a checkpoint, with the holds that were open then',
    answers: { 200: '#RunAtCheckpoint', 404: 'There is no such checkpoint.' },
    call: async ({ id: checkpoint_id }, { holdpoint }) => {
      const place = await holdpoint.checkpoint(checkpoint_id)
      return { ...runDocument(await holdpoint.viewAt(place)), checkpoint_id, seq: place.seq }
    },
  }),
  verb('search', {
    summary: 'Events by words that were said, asked, answered or returned, from the newest thread on',
    query: {
      words: described<Schema<string>>({ type: 'string', minLength: 1, maxLength: 200 }, 'In whatever case.'),
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } as Schema<number>,
      after: described(NAME, 'The `next` of the page before. A page may end before it is full.'),
    },
    answers: { 200: '#Found', 422: 'There are no words to search for.' },
    call: async ({ query }, { holdpoint }) => {
      const { found, next } = await holdpoint.search({ words: '', ...query })
      const paths = await holdpoint.runPaths(found.map(({ run_id }) => run_id))
      return { found: found.map(each => ({ ...each, path: paths.get(each.run_id) ?? [] })), next }
    },
  }),
]
