import type { Amount } from '../../core/count.ts'
import { HoldpointError, messageOf, RefusedError } from '../../core/errors.ts'
import { type Outage, outageWords } from '../../core/run/outcome/outage.ts'
import { endsUnfinished } from '../../core/run/outcome/unfinished-answer.ts'
import { modelName } from '../../core/run/profile.ts'
import { type Outcome, outcomeOf, type Termination } from '../../core/run/termination.ts'
import type { RunUsage } from '../../core/run/usage/usage.ts'
import type { RunWarning } from '../../core/run/warnings/run-warning.ts'
import { agentMessage, type PauseReason, pauseReason } from '../../runtime/views/pause-reason.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { exitCodeOf, type StopWatch } from '../process/interruption.ts'
import { shellWord } from '../process/shell-word.ts'
import { commandHint, resumeHint } from './resume-hint.ts'

export interface OutcomeError {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly [detail: string]: unknown
}

interface OutcomeIds {
  readonly checkpoint_id: string | null
  readonly session_id: string | null
  readonly run_id: string | null
}

interface Spent {
  readonly steps_taken: Amount
  readonly model: string | null
  readonly usage: RunUsage
  /** Files of the project that are instructions of the run; left out if there are none. */
  readonly instructions_files?: readonly string[]
}

/** The document on stdout in json mode, and in the manifest of a pause (docs/design/command-line.md#the-document). */
export type OutcomeDocument = { readonly warnings?: readonly RunWarning[] } & AnyOutcome

type AnyOutcome =
  | ({
      readonly outcome: 'paused'
      readonly pause_reason: PauseReason
      readonly agent_message: string
      readonly resume_hint: string
      /** ISO time of the first deadline among the open holds; `null` if there is none. */
      readonly due_at: string | null
    } & OutcomeIds &
      Spent)
  | ({
      readonly outcome: Outcome
      readonly final_message: string
      readonly termination: Termination
      readonly error?: OutcomeError
    } & OutcomeIds &
      Spent)
  | ({ readonly outcome: 'interrupted'; readonly error: OutcomeError } & OutcomeIds & Spent)
  | ({ readonly outcome: 'failed' | 'refused'; readonly error: OutcomeError } & OutcomeIds)

/** The code of a run that waits without a process, as one that waits for people does. */
const WAITS_FOR_MODEL = 'waits_for_model'

export type PausedDocument = Extract<OutcomeDocument, { outcome: 'paused' }>

/** A run after an advance, as a document. The hint names `store` if it is not the default one. */
export function outcomeDocument(
  view: RunView,
  options: { interrupted: string | null; store: string | null },
): OutcomeDocument {
  const document = documentOf(view, options)
  return view.warnings.length === 0 ? document : { ...document, warnings: view.warnings }
}

function documentOf(view: RunView, options: { interrupted: string | null; store: string | null }): OutcomeDocument {
  const again = resumeCommand(view, options.store)
  if (view.termination) return endDocument(view, view.termination, again)
  if (view.status === 'waiting') return pausedDocument(view, options.store)
  if (view.outage && options.interrupted === null) return delayedDocument(view, view.outage, again)
  const signal = options.interrupted ?? 'its process, in which nothing was left that could go on'
  const hint = `Go on with \`${again}\`.`
  return {
    outcome: 'interrupted',
    error: { code: 'interrupted', message: `The run was stopped by ${signal}.`, hint },
    ...place(view),
    ...spent(view),
  }
}

function delayedDocument(view: RunView, outage: Outage, again: string): OutcomeDocument {
  const { retry_at } = outage
  const hint = `A daemon or a worker goes on with it at ${retry_at}, and \`${again}\` at once.`
  const error = { code: WAITS_FOR_MODEL, message: outageWords(outage), hint, retry_at }
  return { outcome: 'interrupted', error, ...place(view), ...spent(view) }
}

/** An exception as a document: refused before anything happened, or failed. */
export function errorDocument(
  thrown: unknown,
  at: { outcome: 'failed' | 'refused' } & Partial<OutcomeIds>,
): OutcomeDocument {
  const { outcome, session_id = null, run_id = null } = at
  const { checkpoint_id: newest, ...error } = errorOf(thrown)
  const checkpoint_id = at.checkpoint_id ?? (typeof newest === 'string' ? newest : null)
  return { outcome, error, checkpoint_id, session_id, run_id }
}

/** An exception in words, and what to do. */
export function errorOf(thrown: unknown): OutcomeError {
  if (!(thrown instanceof HoldpointError))
    return {
      code: 'internal_error',
      message: messageOf(thrown),
      hint: 'This is a fault of a program, not of your input: with -o text it tells its place.',
    }
  const details = thrown instanceof RefusedError ? thrown.details : {}
  return { code: thrown.code, message: thrown.message, hint: commandHint(thrown), ...details }
}

function endDocument(view: RunView, termination: Termination, again: string): OutcomeDocument {
  const error = END_ERRORS[termination.type](termination, again)
  return {
    outcome: outcomeOf(termination),
    ...place(view),
    final_message: view.answer,
    termination,
    ...(error && outcomeOf(termination) !== 'completed' ? { error } : {}),
    ...spent(view),
  }
}

type EndError<T> = (termination: Extract<Termination, { type: T }>, again: string) => OutcomeError | null

/** Any message brings a run past its limit; these say more. */
const PAST_LIMIT: Readonly<Record<string, string>> = {
  max_rounds: '--max-steps N',
  budget: '--budget USD',
  consecutive_errors: '"what to do differently"',
  loop_detection: '"what to do differently"',
  insisted: '"what to do differently"',
  content_filter: '"another request"',
}

const END_ERRORS = {
  natural_end: () => null,
  behavior_requested: () => null,
  stopped: ({ code, detail }, again) => ({
    code,
    message: endsUnfinished({ type: 'stopped', code, detail })
      ? `The run did not complete: ${detail ?? code}.`
      : `A limit stopped the run: ${detail ?? code}.`,
    hint: `Go on with \`${again} ${Object.hasOwn(PAST_LIMIT, code) ? PAST_LIMIT[code] : '"go on"'}\`.`,
  }),
  cancelled: ({ reason }) => ({ code: 'cancelled', message: reason ?? 'The run was cancelled.', hint: null }),
  blocked: ({ reason }) => ({ code: 'blocked', message: reason, hint: null }),
  error: ({ code, message, hint, retry_at }, again) => ({
    code,
    message,
    hint: `${hint ? `${hint} ` : ''}What was done is kept: go on with \`${again}\`.`,
    ...(retry_at !== undefined && { retry_at }),
  }),
} as { readonly [T in Termination['type']]: EndError<T> } as Record<
  Termination['type'],
  (termination: Termination, again: string) => OutcomeError | null
>

/** The command that resumes a run, to be pasted into a shell. */
export function resumeCommand({ checkpoint_id }: Pick<RunView, 'checkpoint_id'>, store: string | null): string {
  return `holdpoint -c ${checkpoint_id}${store === null ? '' : ` --store ${shellWord(store)}`}`
}

function pausedDocument(view: RunView, store: string | null): PausedDocument {
  const pause_reason = pauseReason(view)
  return {
    outcome: 'paused',
    ...place(view),
    pause_reason,
    agent_message: agentMessage(view),
    resume_hint: resumeHint({ checkpoint: view.checkpoint_id ?? '', pause: pause_reason, store }),
    due_at: firstDue(view),
    ...spent(view),
  }
}

function firstDue({ holds }: RunView): string | null {
  const times = holds.flatMap(({ due_at }) => due_at ?? [])
  return times.toSorted()[0] ?? null
}

function place(view: RunView): OutcomeIds {
  return { checkpoint_id: view.checkpoint_id, session_id: view.thread_id, run_id: view.id }
}

function spent(view: RunView): Spent {
  const files = view.profile.project_instructions?.files ?? []
  const read = files.length === 0 ? {} : { instructions_files: files.map(({ path }) => path) }
  return { steps_taken: view.steps, model: modelName(view.profile), usage: view.usage, ...read }
}

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** docs/design/command-line.md#exit-codes */
export function exitCodeAfter(
  document: OutcomeDocument,
  stop: Pick<StopWatch, 'stoppedBy'>,
  { failOnRefusal = false }: { readonly failOnRefusal?: boolean } = {},
): number {
  const { outcome, warnings = [] } = document
  const stoppedBy = stop.stoppedBy()
  if (outcome === 'interrupted' && document.error.code === WAITS_FOR_MODEL) return EXIT_CODES.paused
  const isRefused = warnings.some(({ code }) => code === 'calls_refused')
  if (outcome === 'completed' && failOnRefusal && isRefused) return EXIT_CODES.failed
  return outcome === 'interrupted' && stoppedBy ? exitCodeOf(stoppedBy) : EXIT_CODES[outcome]
}

const EXIT_CODES: Record<OutcomeDocument['outcome'], number> = {
  completed: 0,
  failed: 1,
  stopped: 1,
  refused: 2,
  paused: 10,
  interrupted: 130,
}
