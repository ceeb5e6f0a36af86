/** Calls the one verb once and exits: start or resume, advance, report. */

import { onAbort } from '../../async/on-abort.ts'
import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import { remarkWarning } from '../../core/policy/remarks/remark-warning.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { AdvanceResult } from '../../runtime/views/face-options.ts'
import { leftInstructions } from '../agents/profile/instructions-files.ts'
import { rehearsePolicy } from '../agents/profile/remarks-on-policy.ts'
import { newProfile, type ProfileDeps } from '../agents/profile/run-profile.ts'
import { type App, agentRegistry, openApp } from '../compose/compose.ts'
import {
  errorDocument,
  exitCodeAfter,
  type OutcomeDocument,
  type OutputFormat,
  outcomeDocument,
  resumeCommand,
} from '../outcome/outcome-document.ts'
import { type Busy, busyRun, openReporter, type Reporter, recordPause } from '../outcome/reporter.ts'
import { actor } from '../process/actor.ts'
import { exitCodeOf, type StopSignal, type StopWatch, watchForStop } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { makeProjectDirectory, readConfig } from '../project/project.ts'
import { isDefaultStore, refuseMissingStore, storeToName, storeUrl } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { advanceAsking, requestHere, type TerminalRequest } from './ask-at-terminal.ts'
import { attendAgent, checkpointNamed, refusalOf } from './attend-run.ts'
import { BundleArrival } from './bundle-arrival.ts'
import { type Begun, begun, type Plan, planGoingOn, type ResumeRequest, type Scene } from './plan-resume.ts'
import { supersededSince } from './resume-checkpoint.ts'
import type { RunRequest } from './run-request.ts'

export interface HeadlessOptions {
  readonly request: RunRequest
  readonly format: OutputFormat
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}

/** Resolves to the exit code (docs/design/command-line.md#exit-codes). @throws RefusedError if nothing happened, or the store's own error. */
export async function runHeadless(options: HeadlessOptions): Promise<number> {
  const { directory, env } = options
  const { verbose, quiet, attend } = options.request
  const reporter = openReporter({ ...options, verbose, quiet, leavesManifest: !attend })
  reporter.warn(options.request.warnings)
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(options.request.store, env, config)
  const request = requestHere(options, store)
  await using agents = agentRegistry({ directory, env })
  const site: ProfileDeps = { directory, env, config, agents }
  const { checkpoint } = request
  // A refusal that needs no store is made before there is one.
  const start = checkpoint === null ? await unlessStopped(reporter, () => planStart(site, request, reporter)) : null
  const arrival = await BundleArrival.open(site, request, store, { io: options.io, isQuiet: isQuiet(options) })
  const mustExist = start === null && arrival === null
  if (mustExist) refuseMissingStore(store, directory)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  using stop = watchForStop()
  stop.beforeForcedExit(async signal => reporter.report(notBegun(signal)))
  await using app = await openApp(
    { store, directory, env, mustExist, messageLimits: config.message_limits, onEvent: reporter.tell },
    site.agents,
  )
  // A bundle is used up by its import.
  const outlives = arrival !== null || (start?.advance.pauseOn ?? []).length > 0
  if (outlives && !app.capabilities.isShared) throw argumentRefusals.forgetful(app.holdpoint.storeUrl)
  const scene = { app, site, reporter }
  const { plan, lookedAt } = start ? { plan: start, lookedAt: null } : await goingOn(scene, arrival, options)
  const stage = {
    ...options,
    request,
    app,
    stop,
    reporter,
    storeToName: storeToName(options.request.store, { env, config, location: app.store.location }),
    lookedAt,
  }
  return await carryOut(plan, stage)
}

async function goingOn(
  scene: Scene,
  arrival: BundleArrival | null,
  options: HeadlessOptions,
): Promise<{ readonly plan: Plan; readonly lookedAt: string }> {
  const request = await resumption(arrival, scene.app, options)
  return { plan: await planGoingOn(scene, request), lookedAt: request.checkpoint }
}

async function resumption(
  arrival: BundleArrival | null,
  { holdpoint }: App,
  { request, format, io }: HeadlessOptions,
): Promise<ResumeRequest> {
  if (arrival) return arrival.into(holdpoint, { io, isQuiet: isQuiet({ format, request }) })
  return { ...request, checkpoint: await checkpointNamed(holdpoint, request.checkpoint ?? '', request), moved: {} }
}

function isQuiet({ format, request }: Pick<HeadlessOptions, 'format' | 'request'>): boolean {
  return format !== 'text' && !request.verbose
}

/** To plan a start may take servers a while to come up, and nothing has begun: one signal ends it. */
async function unlessStopped<Result>(reporter: Reporter, plan: () => Promise<Result>): Promise<Result> {
  using stop = watchForStop()
  using _exit = onAbort(stop.signal, () => {
    const signal = stop.stoppedBy() ?? 'SIGTERM'
    reporter.report(notBegun(signal))
    process.exit(exitCodeOf(signal))
  })
  return await plan()
}

async function planStart(site: ProfileDeps, request: RunRequest, reporter: Reporter): Promise<Plan> {
  const profile = await newProfile(site, request)
  reporter.warn((await rehearsePolicy(site, profile)).map(remarkWarning))
  reporter.warn(await leftInstructions(profile))
  return {
    begin: async holdpoint =>
      begun(await holdpoint.start({ profile, input: request.prompt, author: actor(site.env), reserve: true })),
    decisions: [],
    advance: { pauseOn: profile.pause_on },
  }
}

interface Stage {
  readonly request: TerminalRequest
  readonly app: App
  readonly stop: StopWatch
  readonly reporter: Reporter
  readonly directory: string
  /** In hints; `null` if they need no name of it. */
  readonly storeToName: string | null
  readonly env: HeadlessOptions['env']
  readonly io: Io
  /** The checkpoint that was resumed; `null` for a new run. */
  readonly lookedAt: string | null
}

async function carryOut({ begin, ...plan }: Plan, stage: Stage): Promise<number> {
  const started = await begin(stage.app.holdpoint)
  stage.stop.beforeForcedExit(async signal =>
    stage.reporter.report(await forcedDocument(started.run_id, signal, stage)),
  )
  const advance = { ...plan.advance, signal: stage.stop.signal, decisions: started.decisions }
  const document = await documentAfter(started, going({ ...plan, advance }, stage), stage)
  stage.reporter.report(document, goOn(document, stage))
  return exitCodeAfter(document, stage.stop, stage.request)
}

function notBegun(signal: StopSignal): OutcomeDocument {
  const message = `Stopped by ${signal} before the run could begin.`
  const error = { code: 'interrupted', message, hint: 'If it did begin, `holdpoint runs` lists it.' }
  return { outcome: 'failed', error, checkpoint_id: null, session_id: null, run_id: null }
}

/** A second signal arrived before the run stopped, so the run is left unfinished. */
async function forcedDocument(runId: string, signal: StopSignal, stage: Stage): Promise<OutcomeDocument> {
  const { holdpoint } = stage.app
  try {
    return outcomeDocument(await holdpoint.run(runId), { interrupted: signal, store: stage.storeToName })
  } catch (thrown) {
    return errorDocument(thrown, { outcome: 'failed', ...(await placeOf(holdpoint, runId)) })
  }
}

/** A store that ends with the process has no later. */
function goOn(document: OutcomeDocument, stage: Stage): string | null {
  return stage.app.capabilities.isShared ? resumeCommand(document, stage.storeToName) : null
}

type Go = (holdpoint: Holdpoint, runId: string) => Promise<AdvanceResult>

function going({ advance, attend }: Pick<Plan, 'advance' | 'attend'>, stage: Stage): Go {
  if (stage.request.asks)
    return (holdpoint, runId) => advanceAsking(holdpoint, { runId, options: advance, terminal: stage })
  return (holdpoint, runId) =>
    stage.reporter.during(() => (attend ? attendAgent(stage, runId, advance) : holdpoint.advance(runId, advance)))
}

async function documentAfter(started: Begun, go: Go, stage: Stage): Promise<OutcomeDocument> {
  const { run_id: runId } = started
  const { holdpoint } = stage.app
  try {
    const result = await go(holdpoint, runId)
    if (result.status === 'refused') return refusal(holdpoint, runId, refusalOf(result.receipts))
    if (result.status === 'busy') return refusal(holdpoint, runId, await busyRefusal(holdpoint, started, result))
    // To look again at the same pause leaves no trace. The output of a task has no reader yet.
    if (result.status === 'waiting' && !stage.request.attend && result.checkpoint_id !== stage.lookedAt)
      await recordPause(holdpoint, result, stage)
    return outcomeDocument(result, { interrupted: stage.stop.stoppedBy(), store: stage.storeToName })
  } catch (thrown) {
    // Another process exported the run meanwhile, or went on with it, so it could not begin.
    const refused = thrown instanceof RefusedError ? await meanwhile(holdpoint, thrown, stage) : null
    if (refused) return refusal(holdpoint, runId, refused)
    // By now something may have happened, so even a refusal of one part is a failure of the whole.
    return errorDocument(thrown, { outcome: 'failed', ...(await placeOf(holdpoint, runId)) })
  }
}

async function meanwhile(
  holdpoint: Holdpoint,
  thrown: RefusedError,
  { lookedAt }: Stage,
): Promise<RefusedError | null> {
  if (thrown.code === 'superseded' && lookedAt !== null) return supersededSince(holdpoint, lookedAt)
  return thrown.code === 'exported' ? thrown : null
}

async function refusal(holdpoint: Holdpoint, runId: string, error: RefusedError): Promise<OutcomeDocument> {
  return errorDocument(error, { outcome: 'refused', ...(await placeOf(holdpoint, runId)) })
}

/** The checkpoint from which a run can be taken up again; unknown if the store itself failed. */
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

/** Another process works on the run. If its holds were decided meanwhile, the refusal names the first decision. */
async function busyRefusal(holdpoint: Holdpoint, { decisions, repeated }: Begun, busy: Busy): Promise<RefusedError> {
  for (const { hold_id } of decisions) {
    const hold = await holdpoint.hold(hold_id)
    if (hold?.decision) return alreadyDecided(hold_id, hold.decision)
  }
  return repeated ? alreadyDecided(repeated.hold_id, repeated.decision) : busyRun(busy)
}
