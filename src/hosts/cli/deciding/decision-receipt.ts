import { type Receipt, receiptRefusal } from '../../../core/deciding/receipt.ts'
import type { RefusedError } from '../../../core/errors.ts'
import { interactiveOf } from '../../../core/fleet/interactive.ts'
import type { Decision } from '../../../core/hold/decision.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { decisionText } from '../../../core/hold-view/hold-words.ts'
import { TASK_RESTS, type Task } from '../../../core/task/task.ts'
import { taskName } from '../../../core/task/task-name.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { App } from '../../compose/compose.ts'
import { errorDocument, errorOf, type OutcomeDocument, type OutcomeError } from '../../outcome/outcome-document.ts'

/** The result of one decision, or why none was recorded. */
export type ReceiptDocument =
  | {
      readonly outcome: 'recorded' | 'duplicate'
      readonly hold_id: string
      readonly hold_status: Hold['status']
      readonly decision: Decision
      readonly run: DecidedRun | null
      /** The task that resumes its run; `null` if there is none. */
      readonly task_id: string | null
    }
  | { readonly outcome: 'refused'; readonly hold_id: string | null; readonly error: OutcomeError }

/** The run of a decision, in its present state. */
export interface DecidedRun extends Pick<RunRow, 'status' | 'checkpoint_id'> {
  readonly run_id: string
  readonly session_id: string
}

/** The parts of the app that receipts need. */
export type ReceiptDeps = Pick<App, 'holdpoint' | 'supervision'>

/** A receipt, or why there is none: the name led to no hold. */
export type HoldReply = { readonly receipt: Receipt } | { readonly error: RefusedError }

export function refusalIn(reply: HoldReply): RefusedError | null {
  return 'error' in reply ? reply.error : receiptRefusal(reply.receipt)
}

export async function receiptDocument(app: ReceiptDeps, reply: HoldReply): Promise<ReceiptDocument> {
  const refusal = refusalIn(reply)
  if (refusal) return { outcome: 'refused', hold_id: holdIdIn(reply), error: errorOf(refusal) }
  const { outcome, hold, decision } = recordedIn(reply)
  const run = await runDocument(app.holdpoint, hold)
  const task = await app.supervision.taskOf(hold.run_id)
  return { outcome, hold_id: hold.id, hold_status: hold.status, decision, run, task_id: task?.id ?? null }
}

function holdIdIn(reply: HoldReply): string | null {
  return 'receipt' in reply ? (reply.receipt.hold?.id ?? null) : null
}

type Recorded = Extract<Receipt, { outcome: 'recorded' | 'duplicate' }>

/** The record of a decision that was not refused. */
function recordedIn(reply: HoldReply): Recorded {
  return (reply as { receipt: Recorded }).receipt
}

/** The document in which the command line refuses. */
export function refusedDocument(refusal: RefusedError): OutcomeDocument {
  return errorDocument(refusal, { outcome: 'refused' })
}

/** The run after its hold was decided. */
async function runDocument(
  holdpoint: Runs,
  { thread_id: session_id, run_id }: Pick<Hold, 'thread_id' | 'run_id'>,
): Promise<DecidedRun | null> {
  const [row] = await holdpoint.runs({ run_id })
  return row ? { run_id, session_id, status: row.status, checkpoint_id: row.checkpoint_id } : null
}

/** The text for people: the decision, its author, and the next step. */
export async function receiptText(app: ReceiptDeps, reply: HoldReply, place: DecidedAt): Promise<string> {
  const document = await receiptDocument(app, reply)
  if (document.outcome === 'refused') return ''
  const { hold } = recordedIn(reply)
  const what = hold.call_id === null ? hold.id : `${hold.id} (${hold.tool} ${hold.call_id})`
  const again = document.outcome === 'duplicate' ? '; this was recorded before' : ''
  const next = await nextText(app, hold, { ...place, run: document.run })
  return `${visibleLine(`${what}: ${decisionText(document.decision)}${again}.`)}\n${visibleLine(`  ${next}`)}\n`
}

/** The flags that lead there, and whether that is a server. */
interface DecidedAt {
  readonly at: string
  readonly isRemote: boolean
}

type After = DecidedAt & { readonly run: DecidedRun | null }

async function nextText(app: ReceiptDeps, hold: Hold, { run, at, isRemote }: After): Promise<string> {
  if (hold.status === 'open')
    return `${hold.votes.length} of ${hold.deciders?.quorum ?? 1} approvals; somebody else must approve too.`
  if (run?.status === 'done') return 'Its run is finished.'
  const open = await app.holdpoint.holds({ run_id: hold.run_id, status: 'open' })
  if (run?.status === 'waiting' && open.length > 0)
    return `Its run waits for more: ${open.map(({ id }) => id).join(', ')}.`
  const task = await app.supervision.taskOf(hold.run_id)
  if (task) return taskText(app, task, at)
  if (isRemote) return 'Next: a worker of the server goes on with it.'
  return `Next: a worker goes on with it, or \`holdpoint -c ${run?.checkpoint_id}${at}\`.`
}

/** An interactive agent stays for the next message: to wait for its end would be to wait for long. */
function goesOnText(task: Task, at: string): string {
  const { id } = task
  const agent = taskName(task) ?? id
  if (interactiveOf(task.details))
    return `Next: its agent goes on; \`holdpoint agents logs --follow ${agent}${at}\` shows it.`
  return `Next: its task ${id} goes on; \`holdpoint tasks wait ${id}${at}\` tells how it ends.`
}

/** A task that still waits although its run can move could not be woken from here. */
function taskText({ supervision }: ReceiptDeps, task: Task, at: string): string {
  const { id, status, subject } = task
  if (!TASK_RESTS[status]) return goesOnText(task, at)
  const why = supervision.refusalOf(subject ?? '')
  const could = why ? `could not go on from here: ${why.message}` : `is ${status}.`
  return `Its task ${id} ${could} Next: \`holdpoint tasks resume ${id}${at}\`, or a worker goes on with it.`
}
