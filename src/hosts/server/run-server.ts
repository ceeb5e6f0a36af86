/** `holdpoint serve`: the face behind HTTP, and a worker beside it. */
import { aborted } from '../../async/on-abort.ts'
import { RefusedError } from '../../core/errors.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { CommandContext } from '../command/command.ts'
import { agentRegistry, openApp } from '../compose/compose.ts'
import { SERVER_TOKEN } from '../listening/own-secret.ts'
import { agentAround } from '../process/agent-around.ts'
import { exitCodeOf, type StopSignal, watchForDrain } from '../process/interruption.ts'
import { makeProjectDirectory, type ProjectConfig, readConfig } from '../project/project.ts'
import { isDefaultStore, storeUrl } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { shownUrl } from '../telemetry/spans/trace-settings.ts'
import { WorkHere } from '../worker/work-here.ts'
import { readWorkSettings } from '../worker/work-settings.ts'
import { identifyCallers } from './identify-callers.ts'
import { serveRest } from './serve-rest.ts'
import { readServerSettings, type ServerSettings } from './server-settings.ts'
import { ServerTelemetry } from './server-telemetry.ts'
import { startProfile } from './start-profile.ts'

/** SIGTERM, or the end of its terminal, is how a server is told that its work is done. */
const AFTER: Record<StopSignal, number> = { SIGTERM: 0, SIGINT: exitCodeOf('SIGINT'), SIGHUP: 0 }

export async function run(context: CommandContext): Promise<number> {
  const { given, env, directory } = context
  if (agentAround(env) !== null) throw withinAgent()
  const settings = readServerSettings(given, env)
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const stoppedBy = await serveUntilStopped(context, { settings, store, config })
  // After a signal, the process does not wait for a tool that ignores it.
  if (stoppedBy) process.exit(AFTER[stoppedBy])
  return 0
}

interface Serving {
  readonly settings: ServerSettings
  readonly store: string
  readonly config: ProjectConfig
}

async function serveUntilStopped(
  context: CommandContext,
  { settings, store, config }: Serving,
): Promise<StopSignal | null> {
  const { directory, env, io, given } = context
  using stop = watchForDrain()
  const worker = new WorkHere(loggedBy(context), stop, { ...readWorkSettings(given), retention: config.retention })
  const agents = agentRegistry({ directory, env })
  // What agents that are started as tasks may do at most.
  const bounds = () => startProfile({ directory, env, config, agents }, null)
  const telemetry = new ServerTelemetry(settings, io)
  const onEvent: EventSink = event => {
    worker.hear(event)
    telemetry.hear(event)
  }
  const opening = { store, directory, env, messageLimits: config.message_limits, onEvent, bounds }
  await using app = await openApp(opening, agents)
  const { identify, place } = await identifyCallers(app.holdpoint.tokens, settings, context)
  // Processes that are started here must not inherit the token.
  delete process.env[SERVER_TOKEN.variable]
  await telemetry.open(app, stop.signal)
  const scrapes = await telemetry.listenForScrapes(stop.signal)
  const site = { app, settings, identify, stopping: stop.signal, telemetry, directory, env, config, agents }
  const server = await serveRest(site)
  const traces = settings.traces && shownUrl(settings.traces.url)
  greet(telemetry, { url: server.url, scrapes: scrapes?.url ?? null, traces, place, works: settings.works })
  await (settings.works ? worker.on(app) : aborted(stop.signal))
  telemetry.say('server.stopped', {}, [])
  await Promise.all([server.close(), scrapes?.close(), telemetry.close()])
  return stop.stoppedBy()
}

interface Greeting {
  readonly url: string
  /** Of the port that has the figures alone; `null` without one. */
  readonly scrapes: string | null
  /** The collector; `null` without one. */
  readonly traces: string | null
  readonly place: string | null
  readonly works: boolean
}

/** The address comes last: from then on it listens. */
function greet(telemetry: ServerTelemetry, { url, scrapes, traces, place, works }: Greeting): void {
  const lines = [
    `clients send \`Authorization: Bearer TOKEN\`${place === null ? '' : `; yours is in ${place}`}`,
    works ? 'runs are advanced here' : 'runs are advanced by other workers alone',
    ...(scrapes === null ? [] : [`figures are at ${scrapes}/metrics, without a token`]),
    ...(traces === null ? [] : [`traces go to ${traces}`]),
    `listening on ${url}`,
  ]
  telemetry.say('server.listening', { url, works, ...(scrapes !== null && { metrics: `${scrapes}/metrics` }) }, lines)
}

/** stdout stays empty: what happens to runs is told to clients, and trouble on stderr. */
function loggedBy({ io, ...context }: CommandContext): CommandContext {
  const out = context.given.has('verbose') ? io.err : () => {}
  return { ...context, json: false, io: { ...io, out } }
}

function withinAgent(): RefusedError {
  return new RefusedError('agent_cannot_serve', 'An agent may not serve this store: callers sign as people there.', {
    hint: 'Have a person start `holdpoint serve` in a terminal of their own.',
  })
}
