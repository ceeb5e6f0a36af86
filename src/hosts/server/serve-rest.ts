import { setImmediate } from 'node:timers/promises'
import { openAgUi } from '../../protocols/ag-ui/open-ag-ui.ts'
import { openAiSdk } from '../../protocols/ai-sdk/open-ai-sdk.ts'
import { type AnswerOptions, type AnswerRequest, answerRequests } from '../../protocols/http/answer-requests.ts'
import { WriteHealth } from '../../protocols/http/refusal-problem.ts'
import { requestRate } from '../../protocols/http/request-rate.ts'
import type { Protocol } from '../../protocols/http/route.ts'
import { openLinks } from '../../protocols/links/open-links.ts'
import { openRest } from '../../protocols/rest/open-rest.ts'
import type { RestSite } from '../../protocols/rest/route/rest-route.ts'
import { RuntimeLinks } from '../../runtime/access/runtime-links.ts'
import { backgroundTerms } from '../agents/profile/background-profile.ts'
import type { ProfileDeps } from '../agents/profile/run-profile.ts'
import { type App, checkSchema } from '../compose/compose.ts'
import { type Address, listen, listenPrivately, namesOf } from '../listening/listen.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { version } from '../process/version.ts'
import { removeAgent } from '../worktree/remove-agent.ts'
import { spawnPlaced } from '../worktree/spawn-placed.ts'
import { httpDocuments } from './http-documents.ts'
import { pageDirectory, type ServePage, servePage } from './page/assets.ts'
import { serveOpenLink } from './page/open-link.ts'
import { serveMcp } from './serve-mcp.ts'
import type { ServerSettings } from './server-settings.ts'
import type { ServerTelemetry } from './server-telemetry.ts'
import { serviceDoors } from './service-doors.ts'
import type { Callers } from './sign-in/identify-callers.ts'
import { startableAgents, startProfile } from './start-profile.ts'

/** Of each caller. */
const REQUESTS_PER_SECOND = 50
const SIGN_INS_PER_SECOND = 30

/** Each stream keeps one. */
const CONNECTIONS = 2_048

export interface ServedSite extends ProfileDeps {
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
export async function serveRest(site: ServedSite): Promise<Served> {
  const { settings, callers, stopping, telemetry, config } = site
  const { hosts, anyAddress } = namesOf(settings.address)
  const writes = new WriteHealth(() => systemClock.steady())
  const protocols = await openProtocols({ ...site, writes })
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

async function openProtocols(site: ServedSite & { readonly writes: WriteHealth }): Promise<readonly Protocol[]> {
  const { app, settings, callers, stopping, telemetry, ...profiles } = site
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
      lastWriteFailure: () => site.writes.failure,
      ...agentsIn(app, settings, profiles),
      stopping,
      version: version(),
      signIn: callers.signIn,
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

/** Of each address: a person signs in now and then. A proxy says last from which address a request reached it. */
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
      threads: await app.threadInputs(rows.map(({ thread_id }) => thread_id)),
    }),
    degraded: async () => ((await app.store.notices.figures()).failed > 0 ? ['notices'] : []),
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
