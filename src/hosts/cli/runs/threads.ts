import { RefusedError } from '../../../core/errors.ts'
import type { HumanMessage } from '../../../core/journal/human-thread.ts'
import type { Message } from '../../../core/journal/message.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { Threads } from '../../../runtime/face/threads.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { onlyWord, openToLook } from '../open-for-reading.ts'
import { listThreads } from './list-threads.ts'

export async function run(context: CommandContext): Promise<number> {
  const [verb = 'list', ...words] = context.given.words
  if (verb === 'list') return listThreads(context, words)
  if (verb !== 'show') {
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint threads list, or threads show SESSION', {
      hint: 'To send these words to an agent instead, put them after `--`.',
    })
  }
  const word = onlyWord(words, 'threads show SESSION')
  await using app = await openToLook(context)
  const id = await fullId(app.holdpoint, word)
  if (context.given.has('human')) await showHumanThread(context, app.holdpoint, id)
  else await showThread(context, app.holdpoint, id)
  return 0
}

/** A session, as the model would get it. */
export interface SessionDocument {
  readonly session_id: string
  /** The instructions of its newest run; `null` if it has none. */
  readonly system: string | null
  readonly messages: readonly Message[]
}

/** A session, as people see it. */
export interface HumanSession {
  readonly session_id: string
  readonly messages: readonly HumanMessage[]
}

/** The conversation so far, as people see it: what was asked, who answered what, and what time did. */
async function showHumanThread({ io, json }: CommandContext, holdpoint: Threads, id: string): Promise<void> {
  const messages = await holdpoint.messages(id)
  const document: HumanSession = { session_id: id, messages }
  io.out(json ? jsonLine(document) : messages.map(humanText).join(''))
}

function humanText({ id, at, role, author, content, reply_to, tool_calls }: HumanMessage): string {
  const who = author === null ? '' : ` ${author}`
  const to = reply_to === null ? '' : ` (to ${reply_to})`
  return message(`${id}  ${at}  ${role}${who}${to}`, content, tool_calls ?? [])
}

/** The conversation so far, as the model would get it. */
export async function showThread(
  { io, json }: CommandContext,
  holdpoint: {
    thread(
      id: string,
    ): Promise<{ messages: readonly Message[]; run: { profile: { instructions: string | null } } | null }>
  },
  id: string,
): Promise<void> {
  const { messages, run: newest } = await holdpoint.thread(id)
  const document: SessionDocument = { session_id: id, system: newest?.profile.instructions ?? null, messages }
  io.out(json ? jsonLine(document) : messages.map(asText).join('\n'))
}

function asText(said: Message): string {
  const calls = said.role === 'assistant' ? said.tool_calls : []
  const about = said.role === 'tool' ? ` (${said.tool_call_id})` : ''
  return message(`${said.role}${about}`, said.content, calls)
}

type Calls = readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[]

/** A message is indented from its second line on, so no part of it can look like another message. */
function message(head: string, content: unknown, calls: Calls): string {
  const further = visibleText(text(content)).replaceAll(/\n(?=.)/g, '\n    ')
  const lines = calls.map(call => visibleLine(`  calls ${call.name} (${call.id}): ${text(call.arguments)}`))
  return [`${visibleLine(head)}: ${further}`, ...lines, ''].join('\n')
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
