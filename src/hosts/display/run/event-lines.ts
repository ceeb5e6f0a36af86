import { idleEndText } from '../../../core/hold/decision.ts'
import { SAYS_NEVER } from '../../../core/hold-view/hold-words.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { modelName } from '../../../core/run/profile.ts'
import { shortened, textWidth } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { Paint, Style } from '../colours.ts'
import { shortTime } from '../short-time.ts'
import type { Activity } from './activity.ts'
import { callText, endText, isFailure } from './call-words.ts'

/** `usual`: with what is drawn at the bottom. `alone`: such lines are all that is shown. `verbose`: all there is to tell. */
export type Detail = 'usual' | 'alone' | 'verbose'

type Mark = '✓' | '✗' | '?' | '!' | '·'

interface Line {
  readonly mark: Mark
  readonly text: string
  /** Behind the text, and not cut for it. */
  readonly rest?: string
  /** Behind the rest, if all of the line fits with it. */
  readonly reason?: string
}

type Heard = JournalEvent | Ephemeral
type Lines = { readonly [K in Heard['kind']]?: (event: Extract<Heard, { kind: K }>, told: Told) => Line | null }

/** The lines told before, and how much is told. */
export interface Told {
  readonly activity: Activity
  readonly detail: Detail
  /** The text of the model stands there already. */
  readonly streams: boolean
}

const USUAL: Lines = {
  'call.finished': ({ at, data }, { activity }) => ({
    mark: isFailure(data) ? '✗' : '✓',
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
  'model.retrying': ({ data }) => ({
    mark: '!',
    text: `the model failed (${data.code}: ${data.message})`,
    rest: `try ${data.attempt} in ${shortTime(data.wait_ms) || `${data.wait_ms} ms`}`,
  }),
}

const ALONE: Lines = {
  ...USUAL,
  // The last answer is the result, and comes on stdout.
  'model.answered': ({ data: { text, calls } }, { streams }) =>
    streams || text === '' || calls.length === 0 ? null : { mark: '·', text: `the model: ${text.trim()}` },
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
    text: `the model answered${streams || data.text === '' ? '' : `: ${data.text.trim()}`}`,
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

/** Of a call, so much is always shown. */
const LEAST_WIDTH = 24
/** Less of the words behind a call says nothing. */
const LEAST_REST = 6

/** One line of at most `width` columns without its end; `null` if there is nothing to tell. */
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

/** The words behind a text that leaves so many columns: the text matters more than the reason. */
function restOf({ rest = '', reason = '' }: Line, left: number): string {
  if (rest === '') return ''
  const [short, full] = [rest, `${rest}: ${reason}`].map(words => ` · ${visibleLine(words)}`) as [string, string]
  return reason !== '' && textWidth(full) <= left ? full : short
}
