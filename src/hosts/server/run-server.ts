/** `holdpoint serve`: the runtime over HTTP, and a worker in the same process. */

import { aborted } from '../../async/on-abort.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { CommandContext } from '../command/command.ts'
import { type App, agentRegistry, openApp } from '../compose/compose.ts'
import type { AppOptions } from '../compose/open-options.ts'
import { SERVER_TOKEN } from '../listening/own-secret.ts'
import { tellPolicy } from '../offering/tell-policy.ts'
import { exitCodeOf, type StopSignal, watchForDrain } from '../process/interruption.ts'
import { refuseAgent } from '../process/lineage/refuse-agent.ts'
import { makeProjectDirectory, type ProjectConfig, readConfig } from '../project/project.ts'
import { isDefaultStore, storeUrl } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'
import { shownUrl } from '../telemetry/spans/trace-settings.ts'
import { keepHost } from '../worker/keep-host.ts'
import { notifyBeside, openNotifying } from '../worker/notify-beside.ts'
import { WorkHere } from '../worker/work-here.ts'
import { readWorkSettings } from '../worker/work-settings.ts'
import { serveRest } from './serve-rest.ts'
import { noteServer } from './server-note.ts'
import { isEncrypted, isLocal, readServerSettings, type ServerSettings } from './server-settings.ts'
import { ServerTelemetry } from './server-telemetry.ts'
import { type Callers, type CallersDeps, identifyCallers } from './sign-in/identify-callers.ts'
import { startProfile } from './start-profile.ts'

/** SIGTERM, or the end of its terminal, is the usual request to stop, so the exit code is 0. */
const AFTER: Record<StopSignal, number> = { SIGTERM: 0, SIGINT: exitCodeOf('SIGINT'), SIGHUP: 0 }

export async function run(context: CommandContext): Promise<number> {
  const settings = readServerSettings(context.given, context.env)
  return serve(context, settings, {
    onListening: async ({ telemetry, ...running }) => greet(telemetry, { ...running, settings }),
  })
}

/** A server that listens. */
export interface RunningServer extends Pick<Greeting, 'url' | 'scrapes'> {
  readonly app: App
  readonly callers: Callers
  readonly telemetry: ServerTelemetry
}

/** Hooks of a host that runs a server. */
export interface ServeHooks {
  /** Before its lines on stderr. Default: `holdpoint serve`. */
  readonly as?: string
  /** False: its worker leaves the runs of tasks to their own processes. Default: true. */
  readonly tasks?: boolean
  /** Called once requests are answered, before runs are advanced. */
  onListening(server: RunningServer): Promise<void>
  /** Runs in parallel to the worker until the signal is aborted. */
  beside?(signal: AbortSignal): Promise<void>
  /** Called when nothing is under way any more. */
  onEnd?(): Promise<void>
}

/** Serves until a signal. @throws RefusedError */
export async function serve(context: CommandContext, settings: ServerSettings, hooks: ServeHooks): Promise<number> {
  const { given, env, directory } = context
  refuseAgent(env, () => serverRefusals.agentCannotServe(hooks.as))
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const stoppedBy = await serveUntilStopped(context, { settings, store, config, hooks })
  // After a signal, the process does not wait for a tool that ignores it.
  if (stoppedBy) process.exit(AFTER[stoppedBy])
  return 0
}

interface Serving {
  readonly settings: ServerSettings
  readonly store: string
  readonly config: ProjectConfig
  readonly hooks: ServeHooks
}

async function serveUntilStopped(context: CommandContext, serving: Serving): Promise<StopSignal | null> {
  const { settings, store, config, hooks } = serving
  const { directory, env, io, given } = context
  using stop = watchForDrain()
  const { as = 'holdpoint serve', tasks = true } = hooks
  const { retention } = config
  const worker = new WorkHere(loggedBy(context), stop, { ...readWorkSettings(given), tasks, retention })
  const agents = agentRegistry({ directory, env })
  await tellPolicy({ directory, env, config, agents }, io, { forClients: true })
  const telemetry = new ServerTelemetry(settings, io)
  const notices = await openNotifying(config, {
    ...{ directory, env, as, err: io.err, log: worker.log },
    pushes: !settings.sockets,
  })
  await using app = await openApp(
    {
      ...openingOf(context, serving, agents),
      onEvent: event => {
        worker.hear(event)
        telemetry.hear(event)
      },
    },
    agents,
  )
  // Only the open store shows whether people decide from here.
  refuseAgent(env, () => serverRefusals.agentCannotServe(as))
  await using _host = await keepHost(app.store, settings.published)
  const callers = await identifyCallers({ app, config, ...reachOf(settings), directory, env })
  forget([SERVER_TOKEN.variable, config.sign_in?.oidc?.client_secret_env ?? null])
  await telemetry.open(app, stop.signal)
  const scrapes = await telemetry.listenForScrapes(stop.signal)
  const deps = { app, settings, callers, stopping: stop.signal, telemetry, directory, env, config, agents }
  const server = await serveRest(deps)
  using _note = settings.sockets
    ? null
    : noteServer({ directory, url: server.url, store, ownerDigest: callers.ownerDigest })
  await hooks.onListening({ app, callers, telemetry, url: server.url, scrapes: scrapes?.url ?? null })
  try {
    await notifyBeside(notices, { app, signal: stop.signal }, async () => {
      await Promise.all([settings.works ? worker.on(app) : aborted(stop.signal), hooks.beside?.(stop.signal)])
    })
    await hooks.onEnd?.()
    telemetry.say('server.stopped', {}, [])
  } finally {
    // A server that still listened would keep the process, also after a failure: of a store that is gone, for one.
    await Promise.all([server.close(), scrapes?.close(), telemetry.close()])
  }
  return stop.stoppedBy()
}

function openingOf({ directory, env }: CommandContext, { store, config }: Serving, agents: AgentRegistry): AppOptions {
  return {
    store,
    directory,
    env,
    messageLimits: config.message_limits,
    maxConcurrent: config.max_concurrent,
    // The most that agents may do if they are started as tasks.
    bounds: () => startProfile({ directory, env, config, agents }, null),
  }
}

/** The networks from which the server is reached, and the scheme. */
function reachOf(settings: ServerSettings): Pick<CallersDeps, 'isLocal' | 'isPrivate' | 'cookies'> {
  return {
    isLocal: isLocal(settings),
    isPrivate: settings.sockets !== undefined,
    cookies: isEncrypted(settings) ? 'secure' : 'plain',
  }
}

/** Processes that are started here must not inherit them. */
function forget(variables: readonly (string | null)[]): void {
  for (const name of variables) if (name !== null) delete process.env[name]
}

interface Greeting {
  readonly url: string
  /** The port that has only the figures; `null` without one. */
  readonly scrapes: string | null
  readonly callers: Callers
  readonly settings: ServerSettings
}

/** Prints the address last: from then on the server listens. */
function greet(telemetry: ServerTelemetry, { url, scrapes, callers, settings }: Greeting): void {
  const { works } = settings
  const traces = settings.traces && shownUrl(settings.traces.url)
  const lines = [
    `clients send \`Authorization: Bearer TOKEN\`${callers.place === null ? '' : `; yours is in ${callers.place}`}`,
    ...(callers.place === null ? [] : ['people decide in a browser: `holdpoint inbox` signs you in']),
    works ? 'runs are advanced here' : 'runs are advanced by other workers alone',
    ...(scrapes === null ? [] : [`figures are at ${scrapes}/metrics, without a token`]),
    ...(traces === null ? [] : [`traces go to ${traces}`]),
    `listening on ${url}`,
  ]
  telemetry.say('server.listening', { url, works, ...(scrapes !== null && { metrics: `${scrapes}/metrics` }) }, lines)
}

/** stdout stays empty: clients receive the events of runs, and stderr the failures. */
function loggedBy({ io, ...context }: CommandContext): CommandContext {
  const out = context.given.has('verbose') ? io.err : () => {}
  return { ...context, json: false, io: { ...io, out } }
}
