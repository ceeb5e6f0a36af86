import { type EventData, type NewEvent, plainEvent } from '../../core/journal/event.ts'
import { checkInputId } from '../../core/journal/input.ts'
import type { Run, Thread } from '../../core/journal/thread.ts'
import type { Content } from '../../core/message/part.ts'
import { runOf } from '../../core/people/agent-actor.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Carried } from '../../core/run/stop-condition.ts'
import { refuseUnpriced } from '../../core/run/unpriced-models.ts'
import { changedSettings } from '../../core/run/widening.ts'
import type { NewTask, TaskMove } from '../../core/task/task-move.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { pinDefinitions } from '../definitions/pin-definitions.ts'
import { refuseWidening, unchangedRun } from '../definitions/refuse-widening.ts'
import { loadThread } from '../folds/load-thread.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { LEASE_MS } from '../lease/keep-lease.ts'
import { checkpointId } from '../views/checkpoint-id.ts'
import type { Started } from '../views/face-options.ts'
import { unreadParts } from './unread-parts.ts'

export interface StartRequest {
  readonly profile: Profile
  /** The user's message; `null` continues from the thread as it is. */
  readonly input: Content | null
  /** The id of the message, unique in the thread. */
  readonly inputId?: string
  readonly author: string | null
  /** Default: `code`. */
  readonly surface?: string
  /** The thread to go on with, as far as it is known; one that has no events begins with this run. `null`: any new one. */
  readonly thread: Thread | { readonly id: string; readonly seq: number } | null
  readonly carried: Carried | null
  /** No other process advances it until this one does, or has had time to. */
  readonly reserve?: boolean
  /** The task that is to go on with the run, on record with it or not at all: a crash leaves no run without its task. */
  readonly task?: (run: Started) => NewTask | TaskMove
}

/** Makes a run durable, not yet advanced. @throws RefusedError `superseded` when the thread moved on meanwhile. */
export async function startRun(runtime: Runtime, request: StartRequest): Promise<Started> {
  const { store, ids } = runtime
  checkInputId(request.inputId)
  refuseUnpriced(request.profile)
  const before = request.thread && (await endedRun(runtime, request.thread))
  const changed = before && (await changedSince(runtime, before, request))
  const pinned = pinDefinitions(ids, request.profile, await loadAgent(runtime, request.profile))
  const profile = await withInstructions(runtime, request.profile)
  const id = ids.next('run')
  const thread_id = request.thread?.id ?? ids.next('thread')
  const checkpoint_id = checkpointId(thread_id, ids.next('checkpoint'))
  const { author, carried, task } = request
  const started: Started = { id, thread_id, status: 'running', checkpoint_id }
  const events: NewEvent[] = [
    { kind: 'run.started', run_id: id, data: { profile, carried, pinned, ...(changed && { changed }) } },
    ...unheard(id, before),
    ...firstMessage(id, request),
    {
      kind: 'checkpoint.named',
      run_id: id,
      data: { checkpoint_id, reason: 'step', active_ms: carried?.counters.active_ms ?? 0 },
    },
  ]
  const written = await store.start({
    run: {
      id,
      agent: profile.agent,
      hold_scope: profile.hold_scope,
      parent_run_id: author === null ? null : runOf(author),
    },
    thread_id,
    after: request.thread?.seq ?? 0,
    status: 'running',
    checkpoint_id,
    ...(task && { task: task(started) }),
    ...(request.reserve && { reserve: { owner: runtime.liveness.self, ttl_ms: LEASE_MS } }),
    events: events.map(event => plainEvent(event)),
  })
  for (const event of written) runtime.tell(event)
  return { ...started, ...unreadParts(runtime, { profile, content: request.input, thread: request.thread }) }
}

/** Messages that the last run left undelivered precede the first message of this run. */
function unheard(run_id: string, before: Run | null): NewEvent[] {
  const count = before?.queue.length ?? 0
  return count === 0 ? [] : [{ kind: 'message.delivered', run_id, data: { count } }]
}

function firstMessage(run_id: string, { input, inputId, author }: StartRequest): NewEvent[] {
  if (input === null) return []
  const id = inputId === undefined ? {} : { input_id: inputId }
  return [{ kind: 'message.received', run_id, data: { content: input, author, forced_by: null, ...id } }]
}

/**
 * The next run continues the conversation, so widening it needs the same right. @throws RefusedError `may_not_widen`
 */
async function changedSince(
  runtime: Runtime,
  before: Run,
  { profile, author, surface = 'code' }: StartRequest,
): Promise<EventData['run.started']['changed'] | null> {
  const { hold_scope: _, project_instructions: __, ...changes } = { ...absent(before.profile), ...profile }
  const settings = changedSettings(before.profile, changes)
  if (settings.length === 0) return null
  const run = await unchangedRun(runtime, before)
  return { ...(await refuseWidening(runtime, run, changes, { by: author, surface })), settings }
}

/** A setting that the new profile leaves out is changed as well. */
function absent(profile: Profile): Partial<Profile> {
  return Object.fromEntries(Object.keys(profile).map(setting => [setting, undefined]))
}

/** Each run reads the files of its project anew. On a host without its directory they stay as the run before had them. */
async function withInstructions({ readInstructions }: Runtime, profile: Profile): Promise<Profile> {
  const { project_instructions: before, workdir } = profile
  const files = before && (await readInstructions?.(before.names, workdir))
  return files ? { ...profile, project_instructions: { ...before, files } } : profile
}

/** A thread has one run at a time; the next one begins where the last one ended. `null` if none was started. */
async function endedRun({ store }: Runtime, known: Thread | { id: string; seq: number }): Promise<Run | null> {
  const { id, seq } = known
  if (seq === 0) return null
  const thread = 'run' in known ? known : (await loadThread(store, id)).thread
  const checkpoint_id = thread.run?.checkpoint?.id ?? null
  if (thread.seq !== seq) throw runRefusals.movedOn(id, checkpoint_id)
  if (!thread.run || thread.run.termination) return thread.run
  throw runRefusals.runNotFinished(thread.run.id, id, checkpoint_id)
}
