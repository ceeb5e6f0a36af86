import type { Amount } from '../../../core/count.ts'
import type { HumanMessage } from '../../../core/journal/human-thread.ts'
import type { Message } from '../../../core/journal/message.ts'
import { type SystemPrompt, systemPrompt } from '../../../core/settings/project-instructions.ts'
import { jsonLine, visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { Threads } from '../../../runtime/face/threads.ts'
import type { CheckpointRow } from '../../../runtime/views/list-checkpoints.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn } from '../../command/flag-values.ts'
import { fullId } from '../../command/full-id.ts'
import { ago } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { onlyWord, openToLook, refuseWords } from '../open-for-reading.ts'
import { aboutText, type Known, listedSession, standingOf } from './run-document.ts'
import { agentColumn, endOf, styleOf } from './run-list.ts'

export async function run(context: CommandContext): Promise<number> {
  const [verb = 'list', ...words] = context.given.words
  if (verb === 'list') return listThreads(context, words)
  if (verb !== 'show') {
    const hint = 'To send these words to an agent instead, put them after `--`.'
    throw argumentRefusals.usage('threads list, or threads show SESSION', hint)
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
    thread(id: string): Promise<{ messages: readonly Message[]; run: { profile: SystemPrompt } | null }>
  },
  id: string,
): Promise<void> {
  const { messages, run: newest } = await holdpoint.thread(id)
  const document: SessionDocument = { session_id: id, system: newest ? systemPrompt(newest.profile) : null, messages }
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

/** Lists the sessions of the store, newest first, each with the status of its newest run. */
async function listThreads(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'threads list')
  const limit = limitIn(given)
  await using app = await openToLook(context)
  const rows = await newestRuns(app.holdpoint, limit)
  const inputs = await app.threadInputs(rows.map(({ thread_id }) => thread_id))
  const stuck = await app.stuckRuns(rows)
  const listed = () => rows.map(row => listedSession(row, aboutText(inputs.get(row.thread_id)) || null, { stuck }))
  io.out(json ? jsonLine(listed()) : listText(context, rows, sessionsText(rows, { inputs, stuck })))
  return 0
}

/** Read from the store at once. */
const PAGE = 200

async function newestRuns(holdpoint: Pick<Runs, 'runs'>, limit: number): Promise<RunRow[]> {
  const newest = new Map<string, RunRow>()
  for await (const row of allRuns(holdpoint)) {
    if (!newest.has(row.thread_id)) newest.set(row.thread_id, row)
    if (newest.size === limit) break
  }
  return [...newest.values()]
}

async function* allRuns(holdpoint: Pick<Runs, 'runs'>): AsyncGenerator<RunRow> {
  for (let page = await holdpoint.runs({ limit: PAGE }); page.length > 0; ) {
    yield* page
    page = await holdpoint.runs({ limit: PAGE, after: page.at(-1)?.id ?? '' })
  }
}

function sessionsText(rows: readonly RunRow[], { inputs, stuck }: Pick<Known, 'inputs' | 'stuck'>): List<RunRow> {
  const about = (row: RunRow) => ({ visible: aboutText(inputs.get(row.thread_id)) })
  return {
    empty: 'No sessions.\n',
    plain: {
      SESSION: row => row.thread_id,
      STATUS: row => standingOf(row, stuck.get(row.id)),
      END: row => row.ended,
      AGENT: row => row.agent,
      UPDATED: row => row.updated_at,
      NEWEST_RUN: row => row.id,
      ABOUT: about,
    },
    screen: [
      { head: 'SESSION', value: row => row.thread_id, style: 'bold' },
      {
        head: 'STATUS',
        least: 8,
        value: row => endOf(row, stuck.get(row.id)),
        style: row => styleOf(row, stuck.get(row.id)),
      },
      { ...agentColumn(rows), value: row => row.agent },
      { head: 'WHEN', value: (row, now) => ago(row.updated_at, now), style: 'dim' },
      { head: 'NEWEST RUN', spare: true, value: row => row.id },
      { head: 'ABOUT', least: 12, value: about },
    ],
  }
}

/** The places of a session that a fork can begin from, oldest first. */
export async function listCheckpoints(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const thread = onlyWord(given.words, 'checkpoints SESSION')
  await using app = await openToLook(context)
  const rows = await app.holdpoint.checkpoints(await fullId(app.holdpoint, thread))
  io.out(json ? jsonLine(rows.map(listedCheckpoint)) : listText(context, rows, CHECKPOINTS))
  return 0
}

/** A place of a session that a fork can begin from. */
export interface ListedCheckpoint extends CheckpointRow {
  /** Equal to `steps`. */
  readonly steps_taken: Amount
}

function listedCheckpoint(row: CheckpointRow): ListedCheckpoint {
  return { ...row, steps_taken: row.steps }
}

const CHECKPOINTS: List<CheckpointRow> = {
  plain: {
    CHECKPOINT: row => row.checkpoint_id,
    SEQ: row => row.seq,
    AT: row => row.at,
    RUN: row => row.run_id,
    REASON: row => row.reason,
    STEPS: row => row.steps,
  },
  screen: [
    { head: 'CHECKPOINT', value: row => row.checkpoint_id, style: 'bold' },
    { head: 'WHEN', value: (row, now) => ago(row.at, now), style: 'dim' },
    { head: 'REASON', least: 5, value: row => row.reason },
    { head: 'STEPS', value: row => row.steps },
    { head: 'RUN', value: row => row.run_id },
    { head: 'SEQ', spare: true, value: row => row.seq },
  ],
}
