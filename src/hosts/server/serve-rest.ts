import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { JsonObject } from '../../core/text/json.ts'
import { openAgUi } from '../../protocols/ag-ui/open-ag-ui.ts'
import { openAiSdk } from '../../protocols/ai-sdk/open-ai-sdk.ts'
import { type AnswerOptions, type AnswerRequest, answerRequests } from '../../protocols/http/answer-requests.ts'
import { WriteHealth } from '../../protocols/http/refusal-problem.ts'
import { requestRate } from '../../protocols/http/request-rate.ts'
import type { Protocol } from '../../protocols/http/route.ts'
import { openLinks } from '../../protocols/links/open-links.ts'
import type { Identify, Offer, Running } from '../../protocols/mcp/offer/offer.ts'
import { openRest } from '../../protocols/rest/open-rest.ts'
import type { RestSite } from '../../protocols/rest/route/rest-route.ts'
import { RuntimeLinks } from '../../runtime/access/runtime-links.ts'
import { backgroundTerms } from '../agents/profile/background-profile.ts'
import type { ProfileDeps } from '../agents/profile/run-profile.ts'
import type { CommandContext } from '../command/command.ts'
import { type App, checkSchema } from '../compose/compose.ts'
import { pushSite } from '../compose/notices/push-site.ts'
import { type Address, listen, listenPrivately, namesOf } from '../listening/listen.ts'
import { ownSecret, SEAL_KEY } from '../listening/own-secret.ts'
import { offeredMcp } from '../offering/offered-mcp.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { version } from '../process/version.ts'
import { removeAgent } from '../worktree/remove-agent.ts'
import { spawnPlaced } from '../worktree/spawn-placed.ts'
import { pageDirectory, type ServePage, servePage } from './page/assets.ts'
import { serveOpenLink } from './page/open-link.ts'
import type { ServerSettings } from './server-settings.ts'
import type { ServerTelemetry } from './server-telemetry.ts'
import { serviceDoors } from './service-doors.ts'
import type { Callers } from './sign-in/identify-callers.ts'
import { startableAgents, startProfile } from './start-profile.ts'

/** Limit per caller. */
const REQUESTS_PER_SECOND = 50
const SIGN_INS_PER_SECOND = 30

/** Each stream keeps one. */
const CONNECTIONS = 2_048

export interface ServedDeps extends ProfileDeps {
  readonly app: App
  readonly settings: ServerSettings
  readonly callers: Callers
  /** Aborted when nothing more is to be begun. */
  readonly stopping: AbortSignal
  readonly telemetry: ServerTelemetry
}

export interface Served {
  readonly url: string
  /** Sends the answers that are under way, then listens no more. */
  close(): Promise<void>
}

/** @throws RefusedError `cannot_listen` */
export async function serveRest(deps: ServedDeps): Promise<Served> {
  const { settings, callers, stopping, telemetry, config } = deps
  const { hosts, anyAddress } = namesOf(settings.address)
  const writes = new WriteHealth(() => systemClock.steady())
  const protocols = await openProtocols({ ...deps, writes })
  const routes = telemetry.routes(protocols.flatMap(protocol => protocol.routes))
  const answer = answerRequests(routes, {
    gate: { hosts: [...hosts, ...settings.names, ...linkedName(config)], anyAddress, ...callers.gate },
    stopping,
    onError: telemetry.failed,
    writes,
    page: thePage(),
    objectionToSignIn: signInRate(settings),
    objectionToRate: requestRate({ perSecond: REQUESTS_PER_SECOND, now: () => systemClock.now() }),
  })
  const server = await listenThere(telemetry.observe(routes, answer), settings)
  return {
    url: server.url,
    close: async () => {
      await setImmediate()
      await Promise.all(protocols.map(protocol => protocol.close?.()))
      await server.close()
    },
  }
}

async function openProtocols(deps: ServedDeps & { readonly writes: WriteHealth }): Promise<readonly Protocol[]> {
  const { app, settings, callers, stopping, telemetry, ...profiles } = deps
  const { holdpoint } = app
  const { config, directory, env } = profiles
  const profileOf = (agent: string | null) => startProfile(profiles, agent)
  const starting = { profileOf, agentNames: () => startableAgents(profiles) }
  const onError = telemetry.failed
  const protocols: readonly Protocol[] = [
    openRest({
      holdpoint,
      checkSchema,
      ...starting,
      backgroundOf: async (agent, asked) => backgroundTerms(profiles, await profileOf(agent), asked),
      ...lookupsIn(app),
      lastWriteFailure: () => deps.writes.failure,
      ...agentsIn(app, settings, profiles),
      stopping,
      version: version(),
      signIn: callers.signIn,
      push: pushSite({ tokens: holdpoint.tokens, store: app.store, signIn: callers.signIn, push: config.push }),
      documents: httpDocuments,
      others: () => protocols.flatMap(protocol => protocol.routes),
    }),
    openAiSdk({ holdpoint, profileOf }),
    serveMcp({ app, starting, stopping, onError, directory, env }),
    openAgUi({ holdpoint, ...starting }),
    openLinks({ links: linksOf(app), audit: holdpoint.audit }),
    ...(await serviceDoors({ ...config, holdpoint, store: app.store, env, onError })),
    { routes: callers.routes },
  ]
  return protocols
}

/** The limit per address: a person signs in rarely. A proxy adds the address from which a request reached it last. */
function signInRate({ isBehindProxy }: ServerSettings): NonNullable<AnswerOptions['objectionToSignIn']> {
  const objection = requestRate({ perSecond: SIGN_INS_PER_SECOND, of: 'address', now: () => systemClock.now() })
  return ({ headers }, from) => {
    const passedOn = isBehindProxy ? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
    return objection({ name: passedOn || from })
  }
}

function lookupsIn(app: App): Pick<RestSite, 'beginningsOf' | 'degraded'> {
  return {
    beginningsOf: async rows => ({
      runs: await app.runInputs(rows),
      outcomes: await app.runOutcomes(rows),
      stuck: await app.stuckRuns(rows),
      threads: await app.threadInputs(rows.map(({ thread_id }) => thread_id)),
    }),
    degraded: async () => {
      const notices = (await app.store.notices.figures()).failed > 0
      const runs = (await app.countStuck()) > 0
      return [notices && ('notices' as const), runs && ('runs' as const)].filter(part => part !== false)
    },
  }
}

/** The acts on an agent for which the face alone is not enough. */
function agentsIn(
  app: App,
  { sockets }: ServerSettings,
  { config, directory }: ProfileDeps,
): Pick<RestSite, 'spawnAgent' | 'removeAgent' | 'doorOf'> {
  const { agents } = app.holdpoint
  return {
    spawnAgent: async ({ worktree, ...wish }) => {
      const worktreeBelow = worktree ? (config.root ?? directory) : null
      return (await spawnPlaced(agents, { ...wish, worktreeBelow })).agent
    },
    removeAgent: (named, removal) => removeAgent(agents, named, removal),
    doorOf: sockets ? id => doorOf(app, id) : null,
  }
}

async function doorOf({ store }: App, taskId: string) {
  const door = await store.presences.door(taskId)
  return door && !processLiveness().isGone(door.process)
    ? { endpoint: door.endpoint, token: door.token, protocol: door.protocol }
    : null
}

function thePage(): ServePage {
  const directory = pageDirectory()
  const built = directory === null ? () => null : servePage(directory)
  return (request, url) => serveOpenLink(request, url) ?? built(request, url)
}

async function listenThere(
  answer: AnswerRequest,
  { address, orAnyPort = false, sockets, tls }: ServerSettings,
): ReturnType<typeof listen> {
  if (sockets) return listenPrivately(answer, sockets)
  const listenAt = (place: Address) => listen(answer, place, { tls, connections: CONNECTIONS })
  try {
    return await listenAt(address)
  } catch (thrown) {
    if (orAnyPort) return listenAt({ ...address, port: 0 })
    throw thrown
  }
}

/** The name in links of notices: people reach this server by it. */
function linkedName({ notify }: ProfileDeps['config']): string[] {
  const url = URL.parse(notify?.base_url ?? '')
  return url === null ? [] : [url.hostname]
}

function linksOf({ store, holdpoint }: App): RuntimeLinks {
  return new RuntimeLinks({ runtime: { store, ids: systemIds, clock: systemClock }, holds: holdpoint })
}

/** Paths relative to the bundled command line, or to the source. */
const PLACES: readonly string[] = ['../../schemas', '../../../schemas']

/** The schemas of what the server answers with, by name: they come with the package. */
async function httpDocuments(): Promise<JsonObject> {
  const files = PLACES.map(place => join(import.meta.dirname, place, 'http.schema.json'))
  const file = files.find(each => existsSync(each)) ?? files[0] ?? ''
  return (JSON.parse(await readFile(file, 'utf8')) as { readonly $defs: JsonObject }).$defs
}

interface McpDeps extends Pick<CommandContext, 'directory' | 'env'> {
  readonly app: App
  readonly starting: Pick<Running, 'profileOf' | 'agentNames'>
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
}

/** P1: it starts a command without asking a person. It is for clients of the machine's owner, with `holdpoint mcp`. */
const UNASKED = 'run_command_task'

/** MCP for the callers of this server: each signs by its token, and has the rights of its role. */
function serveMcp(deps: McpDeps): Protocol {
  return offeredMcp(() => offerOf(deps), deps.onError)
}

async function offerOf({ directory, env, ...deps }: McpDeps): Promise<Offer> {
  const { mcpOffer } = await import('../offering/mcp-offer.ts')
  const controls = (await deps.app.supervision.controls()).filter(({ name }) => name !== UNASKED)
  const sealKey = createHash('sha256')
    .update(ownSecret(SEAL_KEY, directory, env).secret)
    .digest()
  return mcpOffer({ ...deps, controls, identify: byToken, sealKey })
}

/** The name that a client gives itself counts for nothing here. */
const byToken: Identify = (_clientName, caller) => {
  const { name, role } = caller ?? { name: 'unknown', role: 'viewer' }
  return { actor: name, person: name, role, runId: null }
}
