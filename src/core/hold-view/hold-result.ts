import type { StuckRun } from '../advancing/stuck-run.ts'
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import type { EventData, EventKind, JournalEvent } from '../journal/event.ts'
import { type CallOutcome, callOutcome, outcomeText } from '../run/outcome/call-outcome.ts'
import { describeEnd, outcomeOf, type Termination } from '../run/termination.ts'
import type { CallError, CallStatus } from '../run/tool-call.ts'
import { durationText } from '../text/duration-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

/** What a decision led to: the call that it released, the agent's next words, and the end of the run. */
export interface HoldResult {
  /** The current status of the call; `null` for a hold without a call. */
  readonly status: CallStatus | null
  /** ISO time; `null` if the tool has not started since the decision. */
  readonly started_at: string | null
  /** ISO time; `null` before its end. */
  readonly ended_at: string | null
  readonly error: CallError | null
  /** The exit of the program that the call ran; `null` if it ran none, or runs. */
  readonly outcome: CallOutcome | null
  /** The result of the call as text, from its end backwards if `output_is_cut`; `null` if there is none. */
  readonly output: string | null
  readonly output_is_cut: boolean
  /** The agent's next words; `null` if there are none yet. */
  readonly said_next: string | null
  /** The end of the run; `null` while it goes on. */
  readonly termination: Termination | null
  /** Why the run does not go on although it could; `null` if it does, or nobody looked. */
  readonly stuck: StuckRun | null
}

/** In code units. */
const LONGEST_OUTPUT = 8_000

/** Reads the events of the hold's run. `null` for a hold without a decision. */
export function holdResult(
  hold: Hold,
  events: readonly JournalEvent[],
  stuck: StuckRun | null = null,
): HoldResult | null {
  const { call_id, decision, run_id } = hold
  if (decision === null) return null
  const after = events.slice(placeOfDecision(hold.id, events) + 1).filter(event => event.run_id === run_id)
  const about = call_id === null ? [] : after.filter(({ data }) => 'call_id' in data && data.call_id === call_id)
  const finished = last(about, 'call.finished')
  const answers = after.filter(event => event.kind === 'model.answered').map(({ data }) => data.text)
  return {
    ...ending(finished, decision.arguments ?? hold.arguments),
    status: call_id === null ? null : statusOf(about),
    started_at: last(about, 'call.started')?.at ?? null,
    said_next: answers.find(text => text.trim() !== '') ?? null,
    termination: last(after, 'run.finished')?.data.termination ?? null,
    stuck,
  }
}

type Ending = Pick<HoldResult, 'ended_at' | 'error' | 'outcome' | 'output' | 'output_is_cut'>

function ending(finished: EventOf<'call.finished'> | undefined, args: JsonObject | string | null): Ending {
  if (!finished) return { ended_at: null, error: null, outcome: null, output: null, output_is_cut: false }
  const { at: ended_at, data } = finished
  const text = outputText(data)
  return {
    ended_at,
    error: data.error,
    outcome: callOutcome(data.output, args),
    output: text === null ? null : text.slice(-LONGEST_OUTPUT).replace(/^[\udc00-\udfff]/, ''),
    output_is_cut: text !== null && text.length > LONGEST_OUTPUT,
  }
}

function placeOfDecision(id: string, events: readonly JournalEvent[]): number {
  return events.findLastIndex(({ kind, data }) => DECIDING.includes(kind) && 'hold_id' in data && data.hold_id === id)
}

const DECIDING: readonly EventKind[] = ['hold.decided', 'hold.expired']

type EventOf<K extends EventKind> = Extract<JournalEvent, { kind: K }>

function last<K extends EventKind>(events: readonly JournalEvent[], kind: K): EventOf<K> | undefined {
  return events.findLast((event): event is EventOf<K> => event.kind === kind)
}

function statusOf(about: readonly JournalEvent[]): CallStatus {
  const newest = about.findLast(({ data }) => 'status' in data && data.status !== null)
  return newest && 'status' in newest.data ? (newest.data.status as CallStatus) : 'resuming'
}

function outputText({ output, error }: EventData['call.finished']): string | null {
  if (error !== null || output === null) return null
  if (typeof output === 'string') return output
  return printed(output) ?? JSON.stringify(output, null, 2)
}

/** The output of a program, without its exit code: that is its `outcome`. */
function printed(output: Json): string | null {
  if (!isJsonObject(output) || callOutcome(output, null) === null) return null
  const { stdout, stderr } = output
  return [stdout, stderr].filter(text => typeof text === 'string' && text !== '').join('\n')
}

/** How a result reads at a glance. */
export type ResultTone = 'good' | 'bad' | 'plain'

export interface ResultLine {
  readonly tone: ResultTone
  readonly text: string
}

/** The result of the call in a sentence; `null` if the decision itself says it. */
export function resultLine(result: HoldResult, verdict: Decision['verdict']): ResultLine | null {
  const { status, started_at, ended_at } = result
  if (status === null || (started_at === null && verdict !== 'approve' && verdict !== 'edit')) return null
  if (ended_at !== null) return endedLine(result, started_at === null ? '' : ` after ${lengthOf(started_at, ended_at)}`)
  if (started_at === null) return { tone: 'plain', text: 'It has not started yet.' }
  return { tone: 'plain', text: status === 'suspended' ? 'It asks again.' : 'It is running.' }
}

function lengthOf(from: string, to: string): string {
  return durationText(Date.parse(to) - Date.parse(from))
}

function endedLine({ status, error, outcome }: HoldResult, after: string): ResultLine {
  if (error) {
    const what = status === 'cancelled' ? 'was cancelled' : 'failed'
    return { tone: 'bad', text: `It ${what}${after}: ${error.code}: ${error.message}` }
  }
  const exit = outcome && outcomeText(outcome)
  if (!exit)
    return status === 'succeeded'
      ? { tone: 'good', text: `It is done${after}.` }
      : { tone: 'bad', text: `It ${status}${after}.` }
  if (outcome.failed) return { tone: 'bad', text: `It failed${after} with ${exit}.` }
  return { tone: 'plain', text: `It ended${after} with ${exit}, which is an answer.` }
}

/** What came of a decided hold, in a sentence; `null` if its decision says all, or it has none. */
export function resultOf(hold: Hold, events: readonly JournalEvent[]): ResultLine | null {
  const result = holdResult(hold, events)
  return result && hold.decision && resultLine(result, hold.decision.verdict)
}

/** Why nothing comes of a decision, and what somebody must do. */
export function stuckLine({ message, hint }: StuckRun): ResultLine {
  return { tone: 'bad', text: `The run is stuck. ${message} ${hint}` }
}

/** The end of the run in a sentence. */
export function endLine(termination: Termination): ResultLine {
  const outcome = outcomeOf(termination)
  const text = describeEnd(termination)
  return { tone: outcome === 'failed' ? 'bad' : 'plain', text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.` }
}
