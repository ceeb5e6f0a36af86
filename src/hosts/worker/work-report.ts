/** The report of a worker: one line for each event, for people or as JSON. */

import type { DueEvent } from '../../core/deadlines/next-due.ts'
import { outcomeOf } from '../../core/run/termination.ts'
import { jsonLine, visibleLine } from '../../core/text/visible-text.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import type { WorkEvent } from '../../runtime/worker/work-options.ts'
import { inLocalTime } from '../display/ago.ts'
import { errorOf, type OutcomeDocument, type OutcomeError } from '../outcome/outcome-document.ts'
import type { Io } from '../process/io.ts'

export interface WorkReport {
  readonly io: Io
  readonly json: boolean
  /** The document of a run that paused or ended, as every host writes it. */
  readonly documentOf: (view: RunView) => OutcomeDocument
}

type EventOf<K extends WorkEvent['kind']> = Extract<WorkEvent, { kind: K }>

/** Successes are written to stdout, failures to stderr. As JSON, both are written to stdout. */
export function tellWork({ io, json, documentOf }: WorkReport, event: WorkEvent): void {
  if (json) io.out(jsonLine(asDocument(event, documentOf)))
  else if ('error' in event) io.err(`holdpoint: ${lineOf(event)}\n`)
  else io.out(`${visibleLine(lineOf(event))}\n`)
}

function lineOf(event: WorkEvent): string {
  return (LINES[event.kind] as (event: WorkEvent) => string)(event)
}

type InSession<E> = E extends { readonly thread_id: string }
  ? Omit<E, 'thread_id'> & { readonly session_id: string }
  : E

/** A line of `work --json`. */
export type WorkLine =
  | InSession<DueEvent>
  | InSession<EventOf<'worker.started' | 'worker.stopped' | 'run.taken'>>
  | (Omit<InSession<EventOf<'run.failed'>>, 'error'> & { readonly error: OutcomeError })
  | (Omit<EventOf<'work.failed' | 'due.failed'>, 'error'> & { readonly error: OutcomeError })
  | ({ readonly kind: 'run.advanced'; readonly status: RunView['status'] } & OutcomeDocument)

function asDocument(event: WorkEvent, documentOf: WorkReport['documentOf']): WorkLine {
  if ('error' in event) return { ...withSession(event), error: errorOf(event.error) }
  if (event.kind !== 'run.advanced') return withSession(event)
  return { kind: event.kind, status: event.view.status, ...documentOf(event.view) }
}

/** Outside, a thread is called a session (docs/design/words.md). */
function withSession<E extends WorkEvent>(event: E): InSession<E> {
  if (!('thread_id' in event)) return event as InSession<E>
  const { thread_id: session_id, kind, run_id, ...rest } = event
  return { kind, run_id, session_id, ...rest } as unknown as InSession<E>
}

const LINES: { readonly [K in WorkEvent['kind']]: (event: EventOf<K>) => string } = {
  'worker.started': ({ concurrency }) => `the worker waits for runs, and advances up to ${concurrency} at once`,
  'worker.stopped': () => 'the worker has stopped',
  'run.taken': ({ run_id }) => `${run_id} goes on`,
  'run.advanced': ({ run_id, view }) => `${run_id} ${stateOf(view)}`,
  'run.failed': ({ run_id, ...failed }) => `${run_id} cannot go on: ${troubleOf(failed)}`,
  'due.failed': ({ hold_id, ...failed }) => `${hold_id} was due, and nothing came of it: ${troubleOf(failed)}`,
  'work.failed': failed => `the worker cannot do all of its work: ${troubleOf(failed)}`,
  'hold.reminded': ({ data }) => `${data.hold_id} reminds of itself (${data.number})${askedOf(data.assignee)}`,
  'hold.escalated': ({ data }) => `${data.hold_id} is escalated${askedOf(data.assignee)}, due ${data.due_at}`,
  'hold.expired': ({ data }) => `${data.hold_id} was not decided in time: ${data.decision.verdict}`,
}

function askedOf(assignee: string | null): string {
  return assignee === null ? '' : `: ${assignee} is asked`
}

function stateOf({ status, termination, holds, outage }: RunView): string {
  if (termination) return outcomeOf(termination)
  if (status === 'running' && outage) return inLocalTime(`waits for the provider until ${outage.retry_at}`)
  if (status === 'running') return 'was stopped; any worker goes on with it'
  return `waits for ${holds.map(({ id, kind, tool }) => `${id} (${kind}${tool === null ? '' : ` ${tool}`})`).join(', ')}`
}

function troubleOf({ error, retry_at }: { readonly error: unknown; readonly retry_at: string | null }): string {
  const { message, hint } = errorOf(error)
  const again = retry_at === null ? '' : ` It is tried again, next at ${retry_at}; this is said once.`
  return `${visibleLine(message)}${again}${hint === null ? '' : `\n  ${visibleLine(hint)}`}`
}
