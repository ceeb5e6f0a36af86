/** A plan is fully checked, from the flags of a new run or from a checkpoint. Only carrying it out changes things. */

import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Profile, ProfileChanges } from '../../core/run/profile.ts'
import { outcomeOf } from '../../core/run/termination.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Earlier } from '../../runtime/pauses/chosen-decisions.ts'
import type { AdvanceOptions } from '../../runtime/views/face-options.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { changedInstructions } from '../agents/profile/instructions-files.ts'
import { changedProfile, type ProfileDeps } from '../agents/profile/run-profile.ts'
import { rehearse } from '../agents/rehearse.ts'
import type { App } from '../compose/compose.ts'
import type { Reporter } from '../outcome/reporter.ts'
import { actor } from '../process/actor.ts'
import { type Resumption, resumeCheckpoint } from './resume-checkpoint.ts'
import type { RunRequest } from './run-request.ts'

export interface Scene {
  readonly reporter: Pick<Reporter, 'knows' | 'toldAt' | 'tidy' | 'warn'>
  readonly app: App
  readonly site: ProfileDeps
}

export interface Plan {
  /** Gives the run to advance and the decisions in it. If the run does not exist yet, starts it. */
  readonly begin: (holdpoint: Holdpoint) => Promise<Begun>
  readonly decisions: readonly DecisionInput[]
  readonly advance: AdvanceOptions
  /** Wait if another process advances the run. */
  readonly attend?: true
}

export interface Begun {
  readonly run_id: string
  readonly decisions: readonly DecisionInput[]
  /** The earlier decision that this command repeats. */
  readonly repeated: Earlier | null
}

/** The flags, the named checkpoint, and what differs here from the run's earlier place. */
export interface ResumeRequest extends RunRequest {
  readonly checkpoint: string
  readonly moved: ProfileChanges
}

/** @throws RefusedError; then nothing was changed. */
export async function planGoingOn(scene: Scene, request: ResumeRequest): Promise<Plan> {
  return request.attend ? planAttending(scene, request) : planResume(scene, request)
}

/** Sends nothing to the run, so no pause is too old to begin from. */
async function planAttending(
  { app: { holdpoint }, site, reporter }: Scene,
  { checkpoint, pauseOn }: ResumeRequest,
): Promise<Plan> {
  const { run_id } = await holdpoint.checkpoint(checkpoint)
  const { status, profile, calls } = await holdpoint.run(run_id)
  if (profile.project !== null) reporter.toldAt(profile.project)
  if (status === 'running') await rehearse(site.agents, profile, { calls })
  return { begin: async () => begun({ id: run_id }), decisions: [], advance: { pauseOn: pauseOn ?? [] }, attend: true }
}

async function planResume({ app, site, reporter }: Scene, request: ResumeRequest): Promise<Plan> {
  const { holdpoint } = app
  const by = { decided_by: actor(site.env), surface: 'cli' }
  const resumption = await resumeCheckpoint(holdpoint, request, by).catch(async thrown => {
    await tidyAfterEnd({ app, site, reporter }, request.checkpoint)
    throw thrown
  })
  const { view } = resumption
  reporter.knows(view)
  const wished = joined(placed(request.moved, view.profile), await changedProfile(site, request, view.profile))
  const onlyLooks = resumption.type === 'advance' && view.status === 'waiting' && resumption.decisions.length === 0
  const changes = onlyLooks && isOnlyPlace(wished) ? null : wished
  if (view.profile.project !== null) reporter.toldAt(view.profile.project)
  await refuseChanges(holdpoint, view, { changes, by: by.decided_by })
  const profile = { ...view.profile, ...changes }
  if (!request.finish) await rehearse(site.agents, profile, { calls: view.calls })
  // The text pause applies to the invocation that asks for it; all other gating stays with the run.
  const pauseOn = request.pauseOn ?? []
  if (resumption.type === 'start') return nextRun(resumption, { profile, pauseOn, author: by.decided_by })
  reporter.warn(await changedInstructions(profile))
  return {
    begin: () => decidedRun(holdpoint, resumption, by.decided_by),
    decisions: resumption.decisions,
    advance: {
      pauseOn,
      ...(changes && { changes, by: by.decided_by, surface: by.surface }),
      ...restOf(resumption),
    },
  }
}

interface NextRun {
  readonly profile: Profile
  readonly pauseOn: NonNullable<AdvanceOptions['pauseOn']>
  readonly author: string
}

/** Another run of the thread. It keeps the budgets of an earlier run that did not complete. */
function nextRun(resumption: Resumption & { type: 'start' }, { profile, pauseOn, author }: NextRun): Plan {
  const { view, input } = resumption
  const { steps, usage, counters } = view
  const isOver = view.termination !== null && outcomeOf(view.termination) === 'completed'
  return {
    begin: async holdpoint => {
      const { run_id, ...thread } = await endedRun(holdpoint, resumption)
      const carried = isOver ? {} : { carried: { run_id, steps, usage, counters } }
      const next = { profile, input, author, surface: 'cli', thread, ...carried }
      return begun(await holdpoint.start({ ...next, reserve: true }))
    },
    decisions: [],
    advance: { pauseOn },
  }
}

function restOf({ lastRest }: Resumption & { type: 'advance' }): Pick<AdvanceOptions, 'lastRest'> {
  return lastRest === undefined ? {} : { lastRest }
}

/** Before anything is written, a decision or a fork too. @throws RefusedError `may_not_widen` */
async function refuseChanges(
  holdpoint: Holdpoint,
  view: RunView,
  { changes, by }: { readonly changes: ProfileChanges | null; readonly by: string },
): Promise<void> {
  const wish = changes && { run: view, changes, by, surface: 'cli' }
  const [objection] = wish ? await holdpoint.objections([], wish) : []
  if (objection) throw objection
}

/** A process that was killed right after the end of its run left the manifest of the pause before. */
async function tidyAfterEnd({ app: { holdpoint }, reporter }: Scene, checkpoint: string): Promise<void> {
  const { run_id, thread_id } = await holdpoint.checkpoint(checkpoint)
  const { run } = await holdpoint.thread(thread_id)
  if (run?.id !== run_id || run.termination === null) return
  if (run.profile.project !== null) reporter.toldAt(run.profile.project)
  reporter.tidy(run_id)
}

/** The changed paths that the run does not know yet, for a fork of it or the next run. */
function placed(moved: ProfileChanges, before: Profile): ProfileChanges {
  const news = Object.entries(moved).filter(([key, value]) => before[key as keyof Profile] !== value)
  return Object.fromEntries(news)
}

function joined(moved: ProfileChanges, wished: ProfileChanges | null): ProfileChanges | null {
  return Object.keys(moved).length > 0 ? { ...moved, ...wished } : wished
}

/** To look from elsewhere is no wish to change anything. */
function isOnlyPlace(changes: ProfileChanges | null): boolean {
  return changes === null || Object.keys(changes).every(key => key === 'project')
}

export function begun({ id: run_id }: { readonly id: string }): Begun {
  return { run_id, decisions: [], repeated: null }
}

/** In a fork the run and its open holds have new names. */
async function decidedRun(
  holdpoint: Holdpoint,
  { view, decisions, repeated, message, fork }: Resumption & { type: 'advance' },
  author: string,
): Promise<Begun> {
  if (!fork) return { run_id: view.id, decisions, repeated }
  const { run_id, thread_id, names } = await fork()
  if (message !== null) await holdpoint.send(thread_id, { text: message, author })
  const renamed = decisions.map(decision => ({ ...decision, hold_id: names.get(decision.hold_id) ?? decision.hold_id }))
  return { run_id, decisions: renamed, repeated }
}

/** The ended run that the next one follows, and the position of its thread. */
async function endedRun(
  holdpoint: Holdpoint,
  { view, seq, fork }: Resumption & { type: 'start' },
): Promise<{ run_id: string; id: string; seq: number }> {
  if (!fork) return { run_id: view.id, id: view.thread_id, seq }
  const { run_id, thread_id: id } = await fork()
  return { run_id, id, seq: (await holdpoint.thread(id)).seq }
}
