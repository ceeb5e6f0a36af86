/** `holdpoint mcp`: the controls for clients of MCP, on stdin and stdout or over HTTP. */
import { Console } from 'node:console'
import { aborted } from '../../async/on-abort.ts'
import { messageOf } from '../../core/errors.ts'
import type { MessageLimits } from '../../core/message/limits.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Offer } from '../../protocols/mcp/offer/offer.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { ProfileDeps } from '../agents/profile/run-profile.ts'
import type { CommandContext } from '../command/command.ts'
import { agentRegistry, openApp } from '../compose/compose.ts'
import { mcpOffer } from '../offering/mcp-offer.ts'
import { type DrainWatch, exitCodeOf, type StopSignal, watchForDrain } from '../process/interruption.ts'
import { systemClock } from '../process/system-clock.ts'
import { makeProjectDirectory, readConfig } from '../project/project.ts'
import { isDefaultStore, storeUrl } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { boundsProfile } from './bounds-profile.ts'
import { clientIdentity } from './client-identity.ts'
import { type McpSettings, readMcpSettings } from './mcp-settings.ts'
import { offeredControls } from './offered-controls.ts'
import { serveHttp } from './serve-http.ts'
import { serveStdio } from './serve-stdio.ts'
import type { Serving } from './serving.ts'

/** How long answers that are under way may take once this is to end. */
const GRACE_MS = 5000
const KEY_BYTES = 32

/** SIGTERM, or the end of its terminal, is how a server is told that its work is done. */
const AFTER: Record<StopSignal, number> = { SIGTERM: 0, SIGINT: exitCodeOf('SIGINT'), SIGHUP: 0 }

export async function run(context: CommandContext): Promise<number> {
  const settings = readMcpSettings(context.given)
  const { given, env, directory } = context
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  // stdout is the protocol, even if the module of an agent would print to it.
  if (!settings.http) globalThis.console = new Console(process.stderr)
  const site: ProfileDeps = { directory, env, config, agents: agentRegistry({ directory, env }) }
  // Flags that cannot work are refused before there is a client.
  const bounds = await boundsProfile(site, settings.bounds)
  await site.agents.load(bounds)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const stoppedBy = await serveFrom(
    {
      ...{ store, bounds, agents: site.agents },
      ...{ messageLimits: config.message_limits, maxConcurrent: config.max_concurrent },
    },
    settings,
    context,
  )
  if (stoppedBy) process.exit(AFTER[stoppedBy])
  return 0
}

interface Source {
  readonly store: string
  readonly messageLimits: MessageLimits
  readonly maxConcurrent: number | null
  readonly bounds: Profile
  readonly agents: AgentRegistry
}

async function serveFrom(
  { bounds, agents, ...opening }: Source,
  settings: McpSettings,
  context: CommandContext,
): Promise<StopSignal | null> {
  const { env, directory, io } = context
  using stop = watchForDrain()
  await using app = await openApp({ ...opening, directory, env, bounds: async () => bounds }, agents)
  const offer = mcpOffer({
    app,
    controls: await offeredControls(app, settings.bounds),
    identify: clientIdentity(env),
    // Forms that are open when this ends are shown anew.
    sealKey: crypto.getRandomValues(new Uint8Array(KEY_BYTES)),
    // No worker is here: agents run as tasks.
    starting: null,
    stopping: stop.signal,
    onError: error => io.err(`holdpoint mcp: ${messageOf(error)}\n`),
  })
  const serving: Serving = { offer, stopped: stopped(stop, offer) }
  if (settings.http) await serveHttp(serving, settings.http, context)
  else await serveStdio(serving, context)
  return stop.stoppedBy()
}

async function stopped(stop: DrainWatch, { underway }: Offer): Promise<void> {
  await aborted(stop.signal)
  await Promise.race([underway.settled(systemClock, GRACE_MS), aborted(stop.stopSignal)])
}
