/** `holdpoint mcp`: the controls for clients of MCP, on stdin and stdout or over HTTP. */
import { Console } from 'node:console'
import { setImmediate } from 'node:timers/promises'
import { aborted } from '../../async/on-abort.ts'
import { messageOf } from '../../core/errors.ts'
import type { MessageLimits } from '../../core/message/limits.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Control } from '../../ports/agent/control.ts'
import { answerRequests } from '../../protocols/http/answer-requests.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { oneToken } from '../../protocols/http/one-token.ts'
import { MCP_PATH } from '../../protocols/mcp/mcp-http.ts'
import { mcpServers } from '../../protocols/mcp/mcp-server.ts'
import { openMcpStdio } from '../../protocols/mcp/mcp-stdio.ts'
import type { Offer } from '../../protocols/mcp/offer/offer.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import { newProfile, type ProfileDeps } from '../agents/profile/run-profile.ts'
import type { CommandContext } from '../command/command.ts'
import { type App, agentRegistry, openApp } from '../compose/compose.ts'
import { type Address, isLoopback, listen, namesOf } from '../listening/listen.ts'
import { MCP_TOKEN, ownSecret } from '../listening/own-secret.ts'
import { mcpOffer } from '../offering/mcp-offer.ts'
import { offeredMcp } from '../offering/offered-mcp.ts'
import { tellPolicy } from '../offering/tell-policy.ts'
import { actor } from '../process/actor.ts'
import { type DrainWatch, exitCodeOf, type StopSignal, watchForDrain } from '../process/interruption.ts'
import { systemClock } from '../process/system-clock.ts'
import { makeProjectDirectory, readConfig } from '../project/project.ts'
import { isDefaultStore, storeUrl } from '../project/store-url.ts'
import { refuseUntrusted } from '../project/trust.ts'
import { clientIdentity } from './client-identity.ts'
import { type Bounds, type McpSettings, readMcpSettings } from './mcp-settings.ts'

/** How long answers that are under way may take once this is to end. */
const GRACE_MS = 5000
const KEY_BYTES = 32

/** SIGTERM, or the end of its terminal, is the usual request to stop, so the exit code is 0. */
const AFTER: Record<StopSignal, number> = { SIGTERM: 0, SIGINT: exitCodeOf('SIGINT'), SIGHUP: 0 }

export async function run(context: CommandContext): Promise<number> {
  const settings = readMcpSettings(context.given)
  const { given, env, directory } = context
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  const store = storeUrl(given.value('store'), env, config)
  // stdout is the protocol, even if the module of an agent would print to it.
  if (!settings.http) globalThis.console = new Console(process.stderr)
  const deps: ProfileDeps = { directory, env, config, agents: agentRegistry({ directory, env }) }
  // Flags that cannot work are refused before there is a client.
  const bounds = await boundsProfile(deps, settings.bounds)
  await deps.agents.load(bounds)
  await tellPolicy(deps, context.io)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  const stoppedBy = await serveFrom(
    {
      ...{ store, bounds, agents: deps.agents },
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

/** The bounds of an agent that is started here: the profile of a run with the same flags. @throws RefusedError */
function boundsProfile(deps: ProfileDeps, bounds: Bounds): Promise<Profile> {
  return newProfile(deps, { ...bounds, systemPrompt: null, pauseOn: ['approval', 'question'] })
}

const COMMAND_CONTROL = 'run_command_task'
const COMMAND_TOOL = 'run_command'

/** All controls; but who may not have an agent run commands here, may not run one as a task either. */
async function offeredControls(
  { supervision }: Pick<App, 'supervision'>,
  { tools }: Pick<Bounds, 'tools'>,
): Promise<readonly Control[]> {
  const controls = await supervision.controls()
  const runsCommands = tools === null || tools.includes(COMMAND_TOOL) || tools.includes(COMMAND_CONTROL)
  return runsCommands ? controls : controls.filter(({ name }) => name !== COMMAND_CONTROL)
}

/** Serves one client, until it has gone or this is to end. */
async function serveStdio({ offer, stopped }: Serving, { io }: Pick<CommandContext, 'io'>): Promise<void> {
  if (process.stdin.isTTY)
    io.err(
      'holdpoint mcp: this speaks MCP on stdin and stdout, for a client that starts it; see `holdpoint mcp --help`.\n',
    )
  const sdk = await import('../../protocols/mcp/offer/sdk.ts')
  await using stdio = openMcpStdio(sdk, mcpServers(sdk, offer), {
    stdin: process.stdin,
    stdout: process.stdout,
    onError: offer.onError,
  })
  await Promise.race([stdio.ended, stopped])
  // Answers are sent before the client is let go.
  await setImmediate()
}

/** Answers every client that bears the token, until the server is to end. */
async function serveHttp(
  serving: Serving,
  address: Address,
  { directory, env, io }: Pick<CommandContext, 'directory' | 'env' | 'io'>,
): Promise<void> {
  const { secret, place } = ownSecret(MCP_TOKEN, directory, env)
  // Processes that are started here must not inherit the token.
  delete process.env[MCP_TOKEN.variable]
  const { onError, stopping } = serving.offer
  const gate: Gate = { ...namesOf(address), identify: oneToken(secret, { name: actor(env), role: 'admin' }) }
  const protocol = offeredMcp(async () => serving.offer, onError)
  const answer = answerRequests(protocol.routes, { gate, stopping, onError })
  const server = await listen(answer, address)
  io.err(`${greeting(address, { url: server.url, place }).join('\n')}\n`)
  await serving.stopped
  // Answers are sent before their streams end.
  await setImmediate()
  await protocol.close?.()
  await server.close()
}

/** The address is last: from then on the server listens. */
function greeting(address: Address, { url, place }: { readonly url: string; readonly place: string }): string[] {
  const warning = `warning: ${address.host} can be reached from other machines, without encryption.`
  return [
    `clients send \`Authorization: Bearer TOKEN\`; the token is in ${place}`,
    ...(isLoopback(address) ? [] : [warning]),
    `listening on ${url}${MCP_PATH}`,
  ].map(line => `holdpoint mcp: ${line}`)
}

/** The needs that every transport of the server shares. */
interface Serving {
  readonly offer: Offer
  /** Resolves once this is to end, and what was under way is answered, or took too long. */
  readonly stopped: Promise<void>
}
