/** What is carried over a fold of the conversation word for word: no summary has it, so none can lose it. */
import type { EndedCall } from '../doubt/called-before.ts'
import type { Message } from '../journal/message.ts'
import type { Content } from '../message/part.ts'
import { contentText } from '../message/part-words.ts'
import { READ_RESULT } from '../repair/shorten-result.ts'
import type { DecidedCall } from '../run/context/decided-calls.ts'
import { cutText } from '../text/kept-text.ts'
import { textTokens } from './count-tokens.ts'

export interface Carrying {
  /** All messages of the thread, and the first that is not folded. */
  readonly messages: readonly Message[]
  readonly to: number
  /** The first message of the run under way. */
  readonly task: { readonly content: Content } | null
  readonly decided: readonly DecidedCall[]
  readonly ended: readonly EndedCall[]
  /** The window of the model, in tokens of our estimate. */
  readonly window: number
}

/** Shares of the window. */
const [TASK, WORDS, DECISIONS] = [0.2, 0.1, 0.2]

export function carriedText(carrying: Carrying): string {
  const parts = [taskText(carrying), wordsText(carrying), decisionsText(carrying), doubtText(carrying)]
  return parts.filter(part => part !== '').join('\n\n')
}

function taskText({ task, messages, to, window }: Carrying): string {
  const place = task === null ? -1 : messages.findIndex(each => each.role === 'user' && each.content === task.content)
  if (task === null || place < 0 || place >= to) return ''
  return `The task, as it was given:\n${within(contentText(task.content), window * TASK)}`
}

/** What people said since, the newest first: as much as there is room for. */
function wordsText({ messages, to, task, window }: Carrying): string {
  const said = messages
    .slice(0, to)
    .flatMap(each => (each.role === 'user' && each.author !== null && each.content !== task?.content ? each : []))
    .map(({ author, content }) => `- ${author}: ${contentText(content)}`)
  const lines = newest(said, window * WORDS)
  return lines.length === 0 ? '' : `What people said since, in their words:\n${lines.join('\n')}`
}

function decisionsText({ messages, to, decided, window }: Carrying): string {
  const folded = callsIn(messages.slice(0, to))
  const all = decided.filter(({ call_id }) => folded.has(call_id))
  if (all.length === 0) return ''
  const lines = newest(
    all.map(({ line }) => `- ${line}`),
    window * DECISIONS,
  )
  const older = [...new Set(all.slice(0, all.length - lines.length).map(({ call_id }) => call_id))]
  const more = older.length === 0 ? [] : [`- Older ones, which ${READ_RESULT} shows by call_id: ${older.join(', ')}`]
  return ['What people decided about calls. It still holds:', ...more, ...lines].join('\n')
}

function doubtText({ messages, to, ended }: Carrying): string {
  const folded = callsIn(messages.slice(0, to))
  const lines = ended
    .filter(call => call.ended === 'unknown' && folded.has(call.id))
    .map(({ id, name, arguments: args }) => `- ${name} ${cutText(JSON.stringify(args), 500)} (call ${id})`)
  return lines.length === 0
    ? ''
    : `In doubt: these calls had started, and may have had their effect:\n${lines.join('\n')}`
}

function callsIn(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.flatMap(each => (each.role === 'tool' ? each.tool_call_id : [])))
}

/** The newest lines that fit, in their order. */
function newest(lines: readonly string[], tokens: number): readonly string[] {
  let left = tokens
  const first = lines.findLastIndex(line => {
    left -= textTokens(line)
    return left < 0
  })
  return lines.slice(first + 1)
}

function within(text: string, tokens: number): string {
  const room = Math.floor(tokens)
  return textTokens(text) <= room ? text : `${cutText(text, room)}\n[… the rest is left out …]`
}
