import { eachChange } from '../../async/each-change.ts'
import { NEVER } from '../../async/on-abort.ts'
import { isOnRecord, type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import { interactiveOf } from '../../core/fleet/interactive.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { Task } from '../../core/task/task.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Runs } from '../../runtime/face/runs.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import { fullId } from '../command/full-id.ts'
import type { App } from '../compose/compose.ts'
import { systemClock } from '../process/system-clock.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { outlastOutage } from './outlast-outage.ts'
import type { RunRequest } from './run-request.ts'

/** Advances the run, or waits while another process does, until it waits or is done or the signal is aborted. */
export async function attendRun(
  holdpoint: Runs & Pick<Holdpoint, 'watch'>,
  runId: string,
  options: AdvanceOptions,
): Promise<AdvanceResult> {
  const { signal } = options
  const first = await holdpoint.advance(runId, options)
  if (first.status !== 'busy') return first
  const watches = [(onChange: () => void) => holdpoint.watch(onChange)]
  for await (const _ of eachChange({ clock: systemClock, watches, signal })) {
    if (signal?.aborted) break
    const result = await holdpoint.advance(runId, options)
    if (result.status !== 'busy') return result
  }
  return holdpoint.run(runId)
}

interface AttendingDeps {
  readonly app: App
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Advances like `attendRun`. The process of an interactive agent stays while its run waits, and lets others attach. */
export async function attendAgent(
  { app, env }: AttendingDeps,
  runId: string,
  options: AdvanceOptions,
): Promise<AdvanceResult> {
  const task = await taskHere({ app, env }, runId)
  const settings = task && interactiveOf(task.details)
  if (!task || !settings) return attendPatiently(app, runId, options)
  const { runAgent } = await import('../agent-process/run-agent.ts')
  const { agentSockets } = await import('../compose/agents/agent-sockets.ts')
  const { processLiveness } = await import('../process/process-liveness.ts')
  const site = { holdpoint: app.holdpoint, store: app.store, clock: systemClock, liveness: processLiveness() }
  const { thread_id, profile } = await app.holdpoint.run(runId)
  const name = task.details['name']
  const place = {
    ...{ task_id: task.id, invocation: task.invocation.n, run_id: runId, thread_id, settings },
    name: typeof name === 'string' ? name : profile.agent,
    workdir: profile.workdir,
  }
  const sockets = agentSockets(app.store.location, env)
  const advance = (id: string, options: AdvanceOptions) => attendRun(app.holdpoint, id, options)
  return runAgent({ site, place, sockets, advance, warn: problem => process.emitWarning(problem) }, options)
}

/** Nobody watches a task: it waits for the provider of its model as long as that takes. */
async function attendPatiently(app: App, runId: string, options: AdvanceOptions): Promise<AdvanceResult> {
  const { signal = NEVER, decisions: _, ...rest } = options
  for (let given: AdvanceOptions = options; ; given = { ...rest, signal }) {
    const result = await attendRun(app.holdpoint, runId, { ...given, waitForModel: true })
    const outage = 'outage' in result ? result.outage : null
    if (outage === null || signal.aborted) return result
    await outlastOutage({ ...app, clock: systemClock }, runId, signal)
  }
}

/** The task that this process was started for; `null` if it is another one's, or none. */
async function taskHere({ app, env }: AttendingDeps, runId: string): Promise<Task | null> {
  const [id, invocation] = (env['HOLDPOINT_TASK'] ?? '').split('/')
  const task = id ? await app.store.tasks.task(id) : null
  return task?.subject === runId && String(task.invocation.n) === invocation ? task : null
}

/** The newest run that a person started. */
const LAST = 'last'

/** True if the word after `-c` names a place in the store, and no file. */
export function isPlaceName(word: string): boolean {
  return word === LAST || /^(cp|run|th)_[0-9a-z]*$/.test(word)
}

/** The checkpoint that a word names: its id or the beginning of it, or the newest one of a session, a run or the last run. */
export async function checkpointNamed(holdpoint: Holdpoint, word: string, request: RunRequest): Promise<string> {
  if (word === LAST) return lastCheckpoint(holdpoint, request)
  const id = await fullId(holdpoint, word)
  if (id.startsWith('run_')) return (await holdpoint.run(id)).checkpoint_id ?? noCheckpoint(id)
  if (!id.startsWith('th_')) return id
  const { run } = await holdpoint.thread(id)
  return run?.checkpoint?.id ?? noCheckpoint(id)
}

async function lastCheckpoint(holdpoint: Holdpoint, request: RunRequest): Promise<string> {
  const roots = (await holdpoint.runs()).filter(({ parent_run_id }) => parent_run_id === null)
  const [last] = roots
  if (!last) return noCheckpoint(LAST)
  const saysSomething = request.choices !== null || request.prompt !== null || request.finish
  if (saysSomething && last.status === 'waiting') refuseSeveral(roots)
  return last.checkpoint_id ?? noCheckpoint(last.id)
}

/** P1: what was decided for one run never reaches another, because that one started in between. */
function refuseSeveral(roots: readonly RunRow[]): void {
  const waiting = roots.filter(({ status, exported }) => status === 'waiting' && exported === null)
  if (waiting.length < 2) return
  throw argumentRefusals.ambiguousId(waiting.length, { details: { ids: waiting.slice(0, 10).map(({ id }) => id) } })
}

function noCheckpoint(name: string): never {
  throw argumentRefusals.noCheckpointYet(name)
}

/** The first reason in a batch that was not recorded. */
export function refusalOf(receipts: readonly Receipt[]): RefusedError {
  for (const receipt of receipts) {
    if (!isOnRecord(receipt)) return receiptRefusal(receipt)
    if (receipt.outcome === 'duplicate') return alreadyDecided(receipt.hold.id, receipt.decision)
  }
  return argumentRefusals.notRecorded()
}
