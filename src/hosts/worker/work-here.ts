import { messageOf } from '../../core/errors.ts'
import type { Dispatcher } from '../../ports/dispatcher.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { WorkEvent } from '../../runtime/worker/work-options.ts'
import type { CommandContext } from '../command/command.ts'
import type { App } from '../compose/compose.ts'
import { LogLines } from '../display/run/log-lines.ts'
import { actor } from '../process/actor.ts'
import type { DrainWatch } from '../process/interruption.ts'
import { systemClock } from '../process/system-clock.ts'
import type { ProjectConfig } from '../project/project.ts'
import { isStoreInEnvironment } from '../project/store-url.ts'
import { JsonLog } from '../telemetry/log/json-log.ts'
import { logEvent, logWork } from '../telemetry/log/log-events.ts'
import { loggedIo } from '../telemetry/log/logged-io.ts'
import { keepRetention } from './keep-retention.ts'
import { ProjectRuns } from './project-runs.ts'
import { tidyEnded } from './tidy-ended.ts'
import { tellWork } from './work-report.ts'
import type { WorkSettings } from './work-settings.ts'

type Site = Pick<CommandContext, 'directory' | 'env' | 'io' | 'json' | 'given'>

/** A worker in this process, also of a server: it begins when there is an app. */
export class WorkHere {
  readonly #site: Site
  readonly #stop: DrainWatch
  readonly #runs: ProjectRuns
  readonly #lines = new LogLines()
  readonly #log: JsonLog | null
  readonly #settings: WorkSettings & Pick<ProjectConfig, 'retention'>

  constructor(site: Site, stop: DrainWatch, settings: WorkSettings & Pick<ProjectConfig, 'retention'>) {
    this.#log = settings.log === 'json' ? new JsonLog(site.io.err, systemClock) : null
    this.#site = site
    this.#stop = stop
    this.#settings = settings
    const isStoreKnown = isStoreInEnvironment(site.given.value('store'), site.env)
    this.#runs = new ProjectRuns({ io: loggedIo(site.io, this.#log), isStoreKnown }, stop.stoppedBy)
  }

  /** `null` if it tells people in words. */
  get log(): JsonLog | null {
    return this.#log
  }

  /** The listener to events of the app. */
  readonly hear: EventSink = event => {
    this.#runs.hear(event)
    if (this.#log) return logEvent(this.#log, event)
    const line = this.#settings.verbose ? this.#lines.hear(event) : null
    if (line !== null) this.#site.io.err(`${event.run_id}: ${line}\n`)
  }

  /** Until it is told to stop, and what is under way has come to rest. */
  async on(app: App, dispatcher: Dispatcher | null = null): Promise<{ readonly failed: boolean }> {
    const { holdpoint } = app
    const { directory, env, json } = this.#site
    const { verbose: _, log: __, retention, ...settings } = this.#settings
    const io = json ? this.#site.io : loggedIo(this.#site.io, this.#log)
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
    const { io, json } = this.#site
    const report = { io, json, documentOf: this.#runs.documentOf.bind(this.#runs, app) }
    const log = this.#log
    return event => {
      if (log) logWork(log, event)
      if (json || (log === null && !(this.#settings.once && event.kind === 'worker.started'))) tellWork(report, event)
    }
  }
}
