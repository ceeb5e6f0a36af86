import { errColumnsOf, hung } from '../display/hung.ts'
import { shortTime } from '../display/short-time.ts'
import type { Io } from '../process/io.ts'
import type { OutcomeDocument, PausedDocument } from './outcome-document.ts'
import { further, pauseLines } from './pause-lines.ts'
import type { OutcomeWarning } from './unasked-calls.ts'

/** The report on stdout. A final message is passed on as it is; pending calls hide nothing. */
export function textReport(document: OutcomeDocument): string {
  if (document.outcome === 'paused') return pausedReport(document)
  return 'final_message' in document && document.final_message !== '' ? `${document.final_message}\n` : ''
}

type ErrorPlace = Pick<Io, 'isErrTerminal' | 'width'>

/** The report on stderr. */
export function textError(document: OutcomeDocument, io: ErrorPlace): string {
  const error = 'error' in document ? document.error : undefined
  if (!error) return ''
  const hint = error.hint ? `  ${further(error.hint)}\n` : ''
  return hung(`holdpoint: ${document.outcome}: ${further(error.message)}\n${hint}`, errColumnsOf(io))
}

/** A warning for a person while the run goes on, on stderr. */
export function textWarning({ message, hint }: OutcomeWarning, io: ErrorPlace): string {
  return hung(`holdpoint: warning: ${further(message)}\n  ${further(hint)}\n`, errColumnsOf(io))
}

/** The end of a run for a person who saw all of it happen: what it took, its ids, and how to go on. */
export function endReport(document: OutcomeDocument, { ms, goOn }: EndFacts): string {
  if (!('steps_taken' in document) || document.outcome === 'paused') return ''
  const { outcome, steps_taken: steps, usage, session_id, run_id } = document
  const took = [
    ...(outcome === 'completed' ? [outcome] : []),
    steps === 1 ? '1 step' : `${steps} steps`,
    `${usage.total_tokens.toLocaleString('en-US')} tokens`,
    ...(shortTime(ms) === '' ? [] : [shortTime(ms)]),
  ]
  const next = outcome === 'completed' && goOn !== null ? [`go on: ${goOn} "…"`] : []
  return `${[took.join(' · '), `session ${session_id} · run ${run_id}`, ...next].join('\n')}\n`
}

export interface EndFacts {
  /** Milliseconds since this process began. */
  readonly ms: number
  /** The command that goes on from here; `null` if none can. */
  readonly goOn: string | null
}

function pausedReport(document: PausedDocument): string {
  return `${pauseLines(document).join('\n')}\n${waysOn(document)}`
}

/** The ids of a pause, and the command that goes on from it. */
export function waysOn({ resume_hint, checkpoint_id, session_id, run_id, due_at }: PausedDocument): string {
  const ids = [`checkpoint  ${checkpoint_id}`, `session     ${session_id}`, `run         ${run_id}`]
  if (due_at !== null) ids.push(`due         ${due_at}`)
  const until = due_at === null ? '' : ` until ${due_at}`
  return `${[...ids, '', `Go on with${until}:`, `  ${resume_hint}`].join('\n')}\n`
}
