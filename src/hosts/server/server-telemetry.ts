/** The log and the figures of a server, for its operators. Libraries are loaded only if they are asked for. */
import { setTimeout } from 'node:timers/promises'
import { messageOf } from '../../core/errors.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import { type AnswerRequest, answerRequests } from '../../protocols/http/answer-requests.ts'
import type { Route } from '../../protocols/http/route.ts'
import type { App } from '../compose/compose.ts'
import { type Listening, listen, namesOf } from '../listening/listen.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import { version } from '../process/version.ts'
import { JsonLog } from '../telemetry/log/json-log.ts'
import { errorFields } from '../telemetry/log/log-error.ts'
import { logRecords } from '../telemetry/log/log-records.ts'
import { logRequest } from '../telemetry/log/log-request.ts'
import { metricsRoute, openMetricsRoute } from '../telemetry/metrics/metrics-route.ts'
import type { Metrics } from '../telemetry/metrics/open-metrics.ts'
import { RequestObserver, type ToldRequest } from '../telemetry/request-observer.ts'
import type { ServerSettings } from './server-settings.ts'

/** A collector that does not answer holds up no restart. */
const LAST_TRACES_MS = 2_000

export class ServerTelemetry {
  readonly #settings: ServerSettings
  readonly #io: Io
  readonly #log: JsonLog | null
  readonly #requests = new RequestObserver(request => this.#answered(request))
  #metrics: Metrics | null = null
  #traces: Promise<void> | null = null

  constructor(settings: ServerSettings, io: Io) {
    this.#settings = settings
    this.#io = io
    this.#log = settings.log === 'json' ? new JsonLog(io.err, systemClock) : null
  }

  readonly hear: EventSink = event => this.#metrics?.hear(event)

  /** Begins to log and to count; until then nothing is recorded. Continues until the signal is aborted. */
  async open({ store }: Pick<App, 'store'>, signal: AbortSignal): Promise<void> {
    if (this.#log) void logRecords({ log: this.#log, store, clock: systemClock, signal })
    await Promise.all([this.#openMetrics(store, signal), this.#openTraces(store, signal)])
  }

  async #openMetrics(store: App['store'], signal: AbortSignal): Promise<void> {
    const { isRoute, address } = this.#settings.metrics
    if (!isRoute && address === null) return
    const { openMetrics } = await import('../telemetry/metrics/open-metrics.ts')
    const streams = () => this.#requests.streams
    this.#metrics = await openMetrics({ store, signal, clock: systemClock, version: version(), streams })
  }

  async #openTraces(store: App['store'], signal: AbortSignal): Promise<void> {
    const { traces } = this.#settings
    if (traces === null) return
    const { openTraces } = await import('../telemetry/spans/export-traces.ts')
    const onTrouble = (error: Error | null) => this.#tracesTrouble(error)
    const deps = { ...traces, store, signal, clock: systemClock, version: version(), onTrouble }
    this.#traces = openTraces(deps).catch(onTrouble)
  }

  #tracesTrouble(error: Error | null): void {
    if (error && this.#log) this.#log.write('warn', 'traces.refused', errorFields(error))
    else if (error)
      this.#io.err(`holdpoint serve: the collector takes no traces, they are sent later: ${messageOf(error)}\n`)
    else this.say('traces.taken', {}, ['the collector takes traces again'])
  }

  /** Sends the remaining traces, for a short time. */
  async close(): Promise<void> {
    await Promise.race([this.#traces, setTimeout(LAST_TRACES_MS, undefined, { ref: false })])
  }

  /** The routes of all protocols, with those of this room. */
  routes(routes: readonly Route[]): readonly Route[] {
    const own = this.#metrics && this.#settings.metrics.isRoute ? [metricsRoute(this.#metrics)] : []
    return this.#isTold ? this.#requests.routes([...routes, ...own]) : routes
  }

  observe(routes: readonly Route[], answer: AnswerRequest): AnswerRequest {
    return this.#isTold ? this.#requests.observe(routes, answer) : answer
  }

  /** The port that has the figures alone; `null` without one. @throws RefusedError `cannot_listen` */
  async listenForScrapes(stopping: AbortSignal): Promise<Listening | null> {
    const { address } = this.#settings.metrics
    if (this.#metrics === null || address === null) return null
    const { hosts, anyAddress } = namesOf(address)
    const answer = answerRequests([openMetricsRoute(this.#metrics)], {
      gate: { hosts: [...hosts, ...this.#settings.names], anyAddress, identify: async () => null },
      stopping,
      onError: this.failed,
    })
    return listen(answer, address)
  }

  readonly failed = (error: Error): void => {
    if (this.#log) this.#log.write('error', 'server.failed', errorFields(error))
    else this.#io.err(`holdpoint serve: ${messageOf(error)}\n`)
  }

  /** Lines for people, or one event of the log. */
  say(event: string, fields: Readonly<Record<string, string | boolean>>, lines: readonly string[]): void {
    if (this.#log) this.#log.write('info', event, fields)
    else this.#io.err(lines.map(line => `holdpoint serve: ${line}\n`).join(''))
  }

  get #isTold(): boolean {
    return this.#log !== null || this.#metrics !== null
  }

  #answered(request: ToldRequest): void {
    this.#metrics?.answered(request)
    if (this.#log) logRequest(this.#log, request)
  }
}
