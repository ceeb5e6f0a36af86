import { idleEndText } from '../../../core/hold/decision.ts'
import { SAYS_NEVER } from '../../../core/hold-view/blocks/hold-blocks.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import { besideText, partWords } from '../../../core/message/part-words.ts'
import { compactionWords, requestedWords } from '../../../core/run/context/compaction.ts'
import { outageWords, switchWords } from '../../../core/run/outcome/outage.ts'
import type { Unfinished } from '../../../core/run/outcome/unfinished-answer.ts'
import { modelName } from '../../../core/run/profile.ts'
import { repairWords } from '../../../core/run/repair/context-repair.ts'
import { shortened, textWidth } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import { clockTime, inLocalTime, shortTime } from '../ago.ts'
import { type Paint, PLAIN, type Style } from '../screen.ts'
import { Activity, callText, endText, isFailure } from './activity.ts'

/** `usual`: lines are drawn at the bottom too. `alone`: these lines are all that is shown. `verbose`: everything. */
type Detail = 'usual' | 'alone' | 'verbose'

type Mark = '✓' | '✗' | '?' | '!' | '·'

interface Line {
  readonly mark: Mark
  readonly text: string
  /** Follows the text, and the text is not cut for it. */
  readonly rest?: string
  /** Follows the rest, if the whole line fits with it. */
  readonly reason?: string
}

type Heard = JournalEvent | Ephemeral
type Lines = { readonly [K in Heard['kind']]?: (event: Extract<Heard, { kind: K }>, told: Told) => Line | null }

/** The lines so far, and how detailed they are. */
interface Told {
  readonly activity: Activity
  readonly detail: Detail
  /** The text of the model is on the screen already. */
  readonly streams: boolean
}

const USUAL: Lines = {
  'call.finished': ({ at, data }, { activity }) => ({
    mark: isFailure(data, activity.call(data.call_id).arguments) ? '✗' : '✓',
    text: callText(activity.call(data.call_id)),
    rest: [endText(data), shortTime(activity.ranFor(data.call_id, at))].filter(part => part !== '').join(' · '),
  }),
  'hold.opened': ({ data }, { activity }) => ({
    mark: '?',
    text: data.call_id === null ? 'the agent waits' : callText(activity.call(data.call_id)),
    rest: data.overrides_never ? SAYS_NEVER : `waits (${data.kind})`,
    reason: data.because,
  }),
  'hold.expired': ({ data }, { activity }) => ({
    mark: '!',
    text: data.call_id === null ? data.hold_id : callText(activity.call(data.call_id)),
    rest: `not decided in time: ${data.decision.verdict}`,
  }),
  'cancel.requested': ({ data }) => ({
    mark: '!',
    text: `${data.by} asks it to stop${data.reason === null ? '' : `: ${data.reason}`}`,
  }),
  'model.answered': ({ data }) => lineOf(besideWords(data)),
  'answer.asked_again': ({ data }) => ({ mark: '!', text: ASKED_AGAIN[data.because], rest: 'asked again' }),
  'model.unavailable': ({ data }) => ({
    mark: '!',
    text: inLocalTime(outageWords(data)),
    rest: `try ${data.failures + 1} at ${clockTime(data.retry_at)}`,
  }),
  'model.switched': ({ data }) => ({ mark: '!', text: switchWords(data) }),
  'compaction.requested': ({ data }) => ({ mark: '!', text: requestedWords(data) }),
  'context.compacted': ({ data }) => ({ mark: '!', text: compactionWords(data) }),
  'context.repaired': ({ data }) => ({ mark: '!', text: repairWords(data) }),
  'model.retrying': ({ data }) => ({
    mark: '!',
    text: `the model failed (${data.code}: ${data.message})`,
    rest: `try ${data.attempt} in ${shortTime(data.wait_ms) || `${data.wait_ms} ms`}`,
  }),
}

const ASKED_AGAIN: Readonly<Record<Unfinished, string>> = {
  pause_turn: 'the model paused its answer',
  length: 'the answer reached its limit of output tokens; none of its calls ran',
  content_filter: "the provider's content filter withheld the answer; none of its calls ran",
  empty_answer: 'the answer was empty',
}

/** What an answer has beside its text: nobody was asked about what the provider ran. */
function besideWords({ parts }: EventData['model.answered']): readonly string[] {
  return besideText(parts).map(partWords)
}

function lineOf(texts: readonly string[]): Line | null {
  return texts.length === 0 ? null : { mark: '·', text: texts.join(' ') }
}

const ALONE: Lines = {
  ...USUAL,
  // The last answer is the result, and is written to stdout.
  'model.answered': ({ data }, { streams }) => {
    const said = streams || data.text === '' || data.calls.length === 0 ? [] : [`the model: ${data.text.trim()}`]
    return lineOf([...said, ...besideWords(data)])
  },
  'call.started': ({ data }, { activity }) => ({ mark: '·', text: callText(activity.call(data.call_id)) }),
}

const VERBOSE: Lines = {
  ...ALONE,
  'run.started': ({ run_id, data }) => ({
    mark: '·',
    text: `run ${run_id} started with ${modelName(data.profile) ?? 'the model of its agent'}`,
  }),
  'model.answered': ({ data }, { streams }) => ({
    mark: '·',
    text: [
      `the model answered${streams || data.text === '' ? '' : `: ${data.text.trim()}`}`,
      ...besideWords(data),
    ].join(' '),
    rest: `${data.calls.length} ${data.calls.length === 1 ? 'call' : 'calls'}, ${data.usage.total_tokens} tokens (${data.finish_reason})`,
  }),
  'call.gated': ({ data }) => ({ mark: '·', text: `${data.call_id} may run: ${data.rule}` }),
  'call.started': ({ data }, { activity }) => ({
    mark: '·',
    text: callText(activity.call(data.call_id)),
    rest: `${data.call_id}, attempt ${data.attempt}`,
  }),
  'hold.decided': ({ data }) => ({
    mark: '·',
    text:
      idleEndText(data.decision) ??
      `${data.decision.decided_by} says ${data.decision.verdict} to ${data.call_id ?? data.hold_id}`,
  }),
  'hold.voted': ({ data }) => ({
    mark: '·',
    text: `${data.decision.decided_by} approves ${data.call_id ?? data.hold_id} (${data.have} of ${data.need})`,
  }),
  'run.finished': ({ data }) => ({ mark: '·', text: `the run is finished: ${data.termination.type}` }),
}

const OF: Record<Detail, Lines> = { usual: USUAL, alone: ALONE, verbose: VERBOSE }

const STYLES: Record<Mark, Style> = { '✓': 'green', '✗': 'red', '?': 'yellow', '!': 'yellow', '·': 'dim' }

/** Columns that a call always gets. */
const LEAST_WIDTH = 24
/** Fewer columns of the words after a call are useless. */
const LEAST_REST = 6

/** A line of at most `width` columns without its end; `null` if the event has no line. */
export function eventLine(
  event: Heard,
  told: Told,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string | null {
  const lineOf = OF[told.detail][event.kind] as ((event: Heard, told: Told) => Line | null) | undefined
  const line = lineOf?.(event, told) ?? null
  if (line === null) return null
  const [text, room] = [visibleLine(line.text), width - 2]
  const rest = restOf(line, room - textWidth(text))
  const kept = shortened(rest, room - Math.min(textWidth(text), LEAST_WIDTH))
  const tail = kept === rest || textWidth(kept) >= LEAST_REST ? kept : ''
  const shown = shortened(text, room - textWidth(tail))
  return `${paint(STYLES[line.mark], line.mark)} ${shown}${tail === '' ? '' : paint('dim', tail)}`
}

/** The words after a text that leaves so many columns: the text matters more than the reason. */
function restOf({ rest = '', reason = '' }: Line, left: number): string {
  if (rest === '') return ''
  const [short, full] = [rest, `${rest}: ${reason}`].map(words => ` · ${visibleLine(words)}`) as [string, string]
  return reason !== '' && textWidth(full) <= left ? full : short
}

/** In characters: a log is read with tools, not in a window. */
const WIDTH = 200

/** The events of several runs as lines of a log. */
export class LogLines {
  readonly #activities = new Map<string, Activity>()

  /** `null` if the event has no line. */
  hear(event: JournalEvent | Ephemeral): string | null {
    const activity = this.#activities.get(event.run_id) ?? new Activity()
    const told = { activity, detail: 'verbose', streams: false } as const
    const line = eventLine(event, told, { width: WIDTH, paint: PLAIN })
    activity.hear(event)
    const rests = event.kind === 'checkpoint.named' && event.data.reason !== 'step'
    if (rests) this.#activities.delete(event.run_id)
    else this.#activities.set(event.run_id, activity)
    return line
  }
}
