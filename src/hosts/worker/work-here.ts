import { messageOf, RefusedError } from '../../core/errors.ts'
import { jsonLine, visibleLine } from '../../core/text/visible-text.ts'
import type { Dispatcher } from '../../ports/dispatcher.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Runs } from '../../runtime/face/runs.ts'
import type { Pruned } from '../../runtime/threads/prune-store.ts'
import type { WorkEvent } from '../../runtime/worker/work-options.ts'
import type { CommandContext } from '../command/command.ts'
import type { App } from '../compose/compose.ts'
import { LogLines } from '../display/run/event-lines.ts'
import { KeptManifest, pausesToldIn } from '../outcome/manifest.ts'
import { actor } from '../process/actor.ts'
import type { DrainWatch } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import type { ProjectConfig } from '../project/project.ts'
import type { Retention } from '../project/retention.ts'
import { isStoreInEnvironment } from '../project/store-url.ts'
import { JsonLog } from '../telemetry/log/json-log.ts'
import { logEvent, logWork } from '../telemetry/log/log-events.ts'
import { loggedIo } from '../telemetry/log/logged-io.ts'
import { ProjectRuns } from './project-runs.ts'
import { tellWork } from './work-report.ts'
import type { WorkSettings } from './work-settings.ts'

type Deps = Pick<CommandContext, 'directory' | 'env' | 'io' | 'json' | 'given'>

/** A worker in this process, also of a server: it begins when there is an app. */
export class WorkHere {
  readonly #deps: Deps
  readonly #stop: DrainWatch
  readonly #runs: ProjectRuns
  readonly #lines = new LogLines()
  readonly #log: JsonLog | null
  readonly #settings: WorkSettings & Pick<ProjectConfig, 'retention'>

  constructor(deps: Deps, stop: DrainWatch, settings: WorkSettings & Pick<ProjectConfig, 'retention'>) {
    this.#log = settings.log === 'json' ? new JsonLog(deps.io.err, systemClock) : null
    this.#deps = deps
    this.#stop = stop
    this.#settings = settings
    const isStoreKnown = isStoreInEnvironment(deps.given.value('store'), deps.env)
    this.#runs = new ProjectRuns({ io: loggedIo(deps.io, this.#log), isStoreKnown }, stop.stoppedBy)
  }

  /** Returns `null` if the output is text for people. */
  get log(): JsonLog | null {
    return this.#log
  }

  /** The listener to events of the app. */
  readonly hear: EventSink = event => {
    this.#runs.hear(event)
    if (this.#log) return logEvent(this.#log, event)
    const line = this.#settings.verbose ? this.#lines.hear(event) : null
    if (line !== null) this.#deps.io.err(`${event.run_id}: ${line}\n`)
  }

  /** Works until it is asked to stop, and the current work has paused or ended. */
  async on(app: App, dispatcher: Dispatcher | null = null): Promise<{ readonly failed: boolean }> {
    const { holdpoint } = app
    const { directory, env, json } = this.#deps
    const { verbose: _, log: __, retention, ...settings } = this.#settings
    const io = json ? this.#deps.io : loggedIo(this.#deps.io, this.#log)
    await tidyEnded(holdpoint, directory, io)
    await using _pruning = await keepRetention(holdpoint, retention, { io, json, by: actor(env) })
    const tell = this.#teller(app)
    let failed = false
    const queue = this.#startQueued(app).catch(thrown => process.emitWarning(messageOf(thrown)))
    await holdpoint.work({
      ...settings,
      ...(dispatcher && { dispatcher }),
      signal: this.#stop.signal,
      stopSignal: this.#stop.stopSignal,
      advance: this.#runs.advance(app),
      onEvent: (event: WorkEvent) => {
        failed ||= event.kind === 'run.failed'
        tell(event)
      },
    })
    await queue
    return { failed }
  }

  /** The daemon does this itself. */
  async #startQueued(app: App): Promise<void> {
    const { tasks = true, once } = this.#settings
    if (!tasks) return
    const { startQueued } = await import('./start-queued.ts')
    await startQueued(app, { signal: this.#stop.signal, once })
  }

  /** Documents on stdout, lines of a log on stderr, or both; else words for people. */
  #teller(app: App): (event: WorkEvent) => void {
    const { io, json } = this.#deps
    const report = { io, json, documentOf: this.#runs.documentOf.bind(this.#runs, app) }
    const log = this.#log
    return event => {
      if (log) logWork(log, event)
      if (json || (log === null && !(this.#settings.once && event.kind === 'worker.started'))) tellWork(report, event)
    }
  }
}

/**
 * A process that was killed right after the end of a run left the manifest of its pause, and no process continues that
 * run.
 */
async function tidyEnded(holdpoint: Pick<Runs, 'run'>, directory: string, io: Io): Promise<void> {
  for (const id of pausesToldIn(directory)) {
    if (await isDone(holdpoint, id)) new KeptManifest(io, directory).takeBack(id)
  }
}

async function isDone(holdpoint: Pick<Runs, 'run'>, id: string): Promise<boolean> {
  try {
    return (await holdpoint.run(id)).status === 'done'
  } catch (thrown) {
    // The manifest belongs to another store, or is not ours.
    if (thrown instanceof RefusedError) return false
    throw thrown
  }
}

const DAY_MS = 86_400_000

/** A line of `work --json`: what was older than the project keeps it. */
export interface PrunedLine extends Pruned {
  readonly kind: 'store.pruned'
  /** ISO time. */
  readonly before: string
}

interface RetentionReport {
  readonly io: Io
  readonly json: boolean
  /** The person who runs the worker, for the record. */
  readonly by: string
}

/**
 * Prunes what is finished and older than the project keeps it: now, then once a day until it is disposed. Work that
 * waits or is not finished stays, as with `holdpoint prune`.
 */
async function keepRetention(
  holdpoint: Pick<Holdpoint, 'prune'>,
  retention: Retention | null,
  report: RetentionReport,
): Promise<AsyncDisposable> {
  if (retention === null) return { [Symbol.asyncDispose]: async () => {} }
  const stop = new AbortController()
  const prune = () => pruneOlder(holdpoint, { ...report, days: retention.days, signal: stop.signal })
  let pruning = prune()
  await pruning
  const timer = setInterval(() => {
    pruning = pruning.then(prune)
  }, DAY_MS)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      stop.abort()
      await pruning
    },
  }
}

type Pruning = RetentionReport & { readonly days: number; readonly signal: AbortSignal }

/** A failed deletion must not stop a worker from advancing runs. */
async function pruneOlder(holdpoint: Pick<Holdpoint, 'prune'>, pruning: Pruning): Promise<void> {
  const { io, json, by, days, signal } = pruning
  const before = new Date(systemClock.now() - days * DAY_MS).toISOString()
  try {
    const pruned = await holdpoint.prune({ before, by, surface: 'work', signal })
    if (pruned.threads + pruned.tasks === 0) return
    if (json) io.out(jsonLine({ kind: 'store.pruned', before, ...pruned } satisfies PrunedLine))
    else io.out(`${pruned.threads} sessions and ${pruned.tasks} tasks from before ${before} are deleted\n`)
  } catch (thrown) {
    io.err(`holdpoint: warning: what is older than ${days} days stays: ${visibleLine(messageOf(thrown))}\n`)
  }
}
