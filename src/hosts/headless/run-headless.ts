/** Calls the one verb once and exits: start or resume, advance, report. */

import { alreadyDecided } from '../../core/already-decided.ts'
import type { DecisionInput } from '../../core/decision.ts'
import { RefusedError } from '../../core/errors.ts'
import type { ProfileChanges } from '../../core/profile.ts'
import { outcomeOf } from '../../core/termination.ts'
import type { Receipt } from '../../ports/store.ts'
import type { Earlier } from '../../runtime/chosen-decisions.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/face-options.ts'
import type { Holdpoint } from '../../runtime/holdpoint.ts'
import { actor } from '../actor.ts'
import { agentRegistry, DEFAULT_STORE, type House, openHouse } from '../compose.ts'
import { type StopWatch, watchForStop } from '../interruption.ts'
import type { Io } from '../io.ts'
import { exitCodeAfter } from '../outcome/exit-code.ts'
import { errorDocument, type OutcomeDocument, outcomeDocument } from '../outcome/outcome-document.ts'
import type { OutputFormat } from '../outcome/output-format.ts'
import { openReporter, type Reporter } from '../outcome/reporter.ts'
import { makeProjectDirectory, readConfig } from '../project.ts'
import { recordShown } from '../record-shown.ts'
import { rehearse, rehearseStart } from '../rehearse.ts'
import { changedProfile, newProfile, type Site } from '../run-profile.ts'
import { refuseMissingStore, storeUrl } from '../store-url.ts'
import { attendRun } from './attend-run.ts'
import { type Resumption, resumeCheckpoint } from './resume-checkpoint.ts'
import type { RunRequest } from './run-request.ts'

export interface HeadlessOptions {
  readonly request: RunRequest
  readonly format: OutputFormat
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}

/** Resolves to the exit code (DESIGN §8.1). @throws RefusedError where nothing happened, or the store's own error. */
export async function runHeadless(options: HeadlessOptions): Promise<number> {
  const { request, directory, env } = options
  const reporter = openReporter({ ...options, verbose: request.verbose, leavesManifest: !request.attend })
  const config = await readConfig(directory)
  const store = storeUrl(request.store, env, config)
  await using agents = agentRegistry({ directory, env })
  const site: Site = { directory, env, config, agents }
  const { checkpoint } = request
  // What is refused without the store is refused before there is one.
  const start = checkpoint === null ? await planStart(site, request, store) : null
  if (start === null) refuseMissingStore(store, directory)
  if (store === DEFAULT_STORE) makeProjectDirectory(directory)
  using stop = watchForStop()
  await using house = await openHouse({ store, directory, env, onEvent: reporter.tell }, site.agents)
  const plan = start ?? (await planGoingOn({ house, site, reporter }, { ...request, checkpoint: checkpoint ?? '' }))
  const stage = { ...options, house, stop, reporter, isDefaultStore: store === DEFAULT_STORE, lookedAt: checkpoint }
  return await carryOut(plan, stage)
}

interface Scene {
  readonly reporter: Reporter
  readonly house: House
  readonly site: Site
}

/** What is going to happen, fully checked: carrying it out is what changes things. */
interface Plan {
  /** Gives the run to advance and what to decide in it, and starts it where it does not exist yet. */
  readonly begin: (holdpoint: Holdpoint) => Promise<Begun>
  readonly advance: AdvanceOptions
  /** Whoever else advances the run is waited for. */
  readonly attend?: true
}

interface Begun {
  readonly run_id: string
  readonly decisions: readonly DecisionInput[]
  /** What somebody said before that this command says again. */
  readonly repeated: Earlier | null
}

async function planStart(site: Site, request: RunRequest, store: string): Promise<Plan> {
  const profile = await newProfile(site, request)
  if (store === 'memory:' && profile.pause_on.length > 0) throw forgetful()
  await rehearseStart(site.agents, profile)
  return {
    begin: async holdpoint =>
      begun(await holdpoint.start({ profile, input: request.prompt, author: actor(site.env), reserve: true })),
    advance: { pauseOn: profile.pause_on },
  }
}

async function planGoingOn(scene: Scene, request: RunRequest & { checkpoint: string }): Promise<Plan> {
  return request.attend ? planAttending(scene, request) : planResume(scene, request)
}

/** Says nothing to the run, so no pause is too old to begin from. */
async function planAttending(
  { house: { holdpoint }, site, reporter }: Scene,
  { checkpoint, pauseOn }: RunRequest & { checkpoint: string },
): Promise<Plan> {
  const { run_id } = await holdpoint.checkpoint(checkpoint)
  const { status, profile } = await holdpoint.run(run_id)
  if (profile.project !== null) reporter.toldAt(profile.project)
  if (status === 'running') await rehearse(site.agents, profile)
  return { begin: async () => begun({ id: run_id }), advance: { pauseOn: pauseOn ?? [] }, attend: true }
}

async function planResume(
  { house, site, reporter }: Scene,
  request: RunRequest & { checkpoint: string },
): Promise<Plan> {
  const { holdpoint } = house
  const by = { decided_by: actor(site.env), surface: 'cli' }
  const resumption = await resumeCheckpoint(holdpoint, request, by).catch(async thrown => {
    await tidyAfterEnd({ house, site, reporter }, request.checkpoint)
    throw thrown
  })
  const { view } = resumption
  const wished = await changedProfile(site, request, view.profile)
  const onlyLooks = resumption.type === 'advance' && view.status === 'waiting' && resumption.decisions.length === 0
  const changes = onlyLooks && isOnlyPlace(wished) ? null : wished
  if (view.profile.project !== null) reporter.toldAt(view.profile.project)
  const profile = { ...view.profile, ...changes }
  if (!request.finish) await rehearse(site.agents, profile)
  // The text pause applies to the invocation that asks for it; all other gating stays with the run.
  const pauseOn = request.pauseOn ?? []
  if (resumption.type === 'advance')
    return {
      begin: () => decidedRun(holdpoint, resumption, by.decided_by),
      advance: { pauseOn, ...(changes && { changes }) },
    }
  const { input } = resumption
  return {
    begin: async () => {
      const { run_id, ...thread } = await endedRun(holdpoint, resumption)
      const completed = view.termination !== null && outcomeOf(view.termination) === 'completed'
      const carried = !completed
        ? { carried: { run_id, steps: view.steps, usage: view.usage, counters: view.counters } }
        : {}
      return begun(await holdpoint.start({ profile, input, author: by.decided_by, thread, ...carried, reserve: true }))
    },
    advance: { pauseOn },
  }
}

/** A process that was killed right behind the end of its run left what tells of the pause before. */
async function tidyAfterEnd({ house: { holdpoint }, reporter }: Scene, checkpoint: string): Promise<void> {
  const { run_id, thread_id } = await holdpoint.checkpoint(checkpoint)
  const { run } = await holdpoint.thread(thread_id)
  if (run?.id !== run_id || run.termination === null) return
  if (run.profile.project !== null) reporter.toldAt(run.profile.project)
  reporter.tidy(run_id)
}

/** To look from elsewhere is no wish to change anything. */
function isOnlyPlace(changes: ProfileChanges | null): boolean {
  return changes === null || Object.keys(changes).every(key => key === 'project')
}

function begun({ id: run_id }: { readonly id: string }): Begun {
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
  const renamed = decisions.map(said => ({ ...said, hold_id: names.get(said.hold_id) ?? said.hold_id }))
  return { run_id, decisions: renamed, repeated }
}

/** The run that the next one follows, and where its thread stands. */
async function endedRun(
  holdpoint: Holdpoint,
  { view, seq, fork }: Resumption & { type: 'start' },
): Promise<{ run_id: string; id: string; seq: number }> {
  if (!fork) return { run_id: view.id, id: view.thread_id, seq }
  const { run_id, thread_id: id } = await fork()
  return { run_id, id, seq: (await holdpoint.thread(id)).seq }
}

interface Stage {
  readonly request: RunRequest
  readonly house: House
  readonly stop: StopWatch
  readonly reporter: Reporter
  readonly directory: string
  readonly isDefaultStore: boolean
  readonly env: HeadlessOptions['env']
  readonly io: Io
  /** The checkpoint that was resumed; `null` for a new run. */
  readonly lookedAt: string | null
}

async function carryOut({ begin, attend, ...plan }: Plan, stage: Stage): Promise<number> {
  const started = await begin(stage.house.holdpoint)
  const advance = { ...plan.advance, signal: stage.stop.signal, decisions: started.decisions }
  const go = attend ? attendRun : advanceRun
  const document = await documentAfter(started, (holdpoint, runId) => go(holdpoint, runId, advance), stage)
  stage.reporter.report(document)
  return exitCodeAfter(document, stage.stop)
}

type Go = (holdpoint: Holdpoint, runId: string) => Promise<AdvanceResult>

const advanceRun = (holdpoint: Holdpoint, runId: string, options: AdvanceOptions): Promise<AdvanceResult> =>
  holdpoint.advance(runId, options)

async function documentAfter(started: Begun, go: Go, stage: Stage): Promise<OutcomeDocument> {
  const { run_id: runId } = started
  const { holdpoint } = stage.house
  try {
    const result = await go(holdpoint, runId)
    if (result.status === 'refused') return refusal(holdpoint, runId, refusalOf(result.receipts))
    if (result.status === 'busy') return refusal(holdpoint, runId, await busyRefusal(holdpoint, started, result.owner))
    const store = stage.isDefaultStore ? null : holdpoint.storeUrl
    // To look again at the same pause leaves no trace, and what a task prints is seen by nobody yet.
    if (result.status === 'waiting' && !stage.request.attend && result.checkpoint_id !== stage.lookedAt)
      await recordShown(holdpoint, result.holds, stage)
    return outcomeDocument(result, { interrupted: stage.stop.stoppedBy(), store })
  } catch (thrown) {
    // By now something may have happened, so even a refusal of one part is a failure of the whole.
    return errorDocument(thrown, { outcome: 'failed', ...(await placeOf(holdpoint, runId)) })
  }
}

async function refusal(holdpoint: Holdpoint, runId: string, error: RefusedError): Promise<OutcomeDocument> {
  return errorDocument(error, { outcome: 'refused', ...(await placeOf(holdpoint, runId)) })
}

/** Where a run can be taken up again; unknown where the store itself is what failed. */
async function placeOf(
  holdpoint: Holdpoint,
  run_id: string,
): Promise<{ checkpoint_id: string | null; session_id: string | null; run_id: string }> {
  try {
    const view = await holdpoint.run(run_id)
    return { checkpoint_id: view.checkpoint_id, session_id: view.thread_id, run_id }
  } catch {
    return { checkpoint_id: null, session_id: null, run_id }
  }
}

/** Of a batch that was not recorded: the first reason. */
function refusalOf(receipts: readonly Receipt[]): RefusedError {
  for (const receipt of receipts) {
    if (receipt.outcome === 'refused') return receipt.error
    if (receipt.outcome === 'already_decided') return alreadyDecided(receipt.hold.id, receipt.winner)
    if (receipt.outcome === 'duplicate') return alreadyDecided(receipt.hold.id, receipt.decision)
  }
  return new RefusedError('not_recorded', 'The decisions were not recorded, so nothing was run.')
}

/** Another process works on the run. Where it was decided meanwhile, that is what the second decider needs to know. */
async function busyRefusal(holdpoint: Holdpoint, { decisions, repeated }: Begun, owner: string): Promise<RefusedError> {
  for (const { hold_id } of decisions) {
    const hold = await holdpoint.hold(hold_id)
    if (hold?.decision) return alreadyDecided(hold_id, hold.decision)
  }
  if (repeated) return alreadyDecided(repeated.hold_id, repeated.decision)
  return new RefusedError('busy', `Another process (${owner}) is advancing this run, so nothing was done.`, {
    hint: 'Wait until it is through; `holdpoint runs` shows where it stands.',
  })
}

/** P4: an exit code of 10 says that somebody can go on, and from such a store nobody can. */
function forgetful(): RefusedError {
  return new RefusedError(
    'store_forgets',
    'The store memory: ends with this process, so nobody could go on from a pause.',
    {
      hint: 'Name a file with --store sqlite:PATH, or leave --store and --pause-on out.',
    },
  )
}
