import type { Role } from '../../../core/people/role.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { InteractiveSettings } from '../../../core/settings/interactive-settings.ts'
import type { Requester } from '../../../core/task/task-move.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import { type Fields, type FitsAll, NOTHING, type Schema } from '../../../core/text/json-schema.ts'
import type { CheckSchema } from '../../../ports/agent/schema.ts'
import type { Principal } from '../../../ports/identity.ts'
import type { AgentDoor } from '../../../ports/store/fleet/presences.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { AgentRemoval, AgentSummary, RemovedAgent, SpawnRequest } from '../../../runtime/face/agents.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Starter } from '../../../runtime/face/tasks.ts'
import { VERBS, type VerbName } from '../../../runtime/face/verbs.ts'
import type { Caller } from '../../http/gate.ts'
import type { Proof } from '../../http/proof.ts'
import type { Route } from '../../http/route.ts'
import type { StreamPlace } from '../../http/stream-places.ts'
import type { PushSite } from './push.ts'
import type { Beginnings } from './run-documents.ts'
import type { SignIn } from './sign-in.ts'

/** The parts of the face that routes answer from. */
export interface RestSite {
  readonly holdpoint: Holdpoint
  readonly checkSchema: CheckSchema
  /** The profile of a new run of this agent; `null` for the usual one. @throws RefusedError `unknown_agent` */
  readonly profileOf: (agent: string | null) => Promise<Profile>
  /** The profile of an agent in the background. @throws RefusedError `unknown_agent`, `invalid_arguments` */
  readonly backgroundOf: (agent: string | null, asked: InteractiveSettings) => Promise<BackgroundStart>
  /** Starts an agent, in a worktree of its own if it is to have one. @throws RefusedError; then nothing was started */
  readonly spawnAgent: (wish: SpawnWish) => Promise<AgentSummary>
  /** The names of the agents that may be started. */
  readonly agentNames: () => readonly string[]
  /** Takes an agent off the list, with its worktree. @throws RefusedError; then nothing was removed */
  readonly removeAgent: (named: string, wish: AgentRemoval) => Promise<RemovedAgent>
  /** The way to the process of an agent; `null` if other users or machines reach this server. */
  readonly doorOf: ((taskId: string) => Promise<Omit<AgentDoor, 'process'> | null>) | null
  /** How these runs and their threads began. */
  readonly beginningsOf: (rows: readonly RunRow[]) => Promise<Beginnings>
  /** Aborted when the server is to end. */
  readonly stopping: AbortSignal
  /** The parts that do not work although requests are answered. */
  readonly degraded: () => Promise<readonly string[]>
  /** Why the newest write of a request failed, as a code; `null` if it did not. */
  readonly lastWriteFailure: () => string | null
  readonly version: string
  readonly signIn: SignIn
  readonly push: PushSite
  /** JSON Schemas of the documents, by name, with what they refer to: the `$defs` of `schemas/http.schema.json`. */
  readonly documents: () => Promise<JsonObject>
  /** The routes of the other protocols of this server, for `/openapi.json`. */
  readonly others: () => readonly Route[]
}

/** The part of a spawn that only the host knows. */
export type BackgroundStart = Pick<SpawnRequest, 'profile' | 'interactive'>

/** An agent that is to be started. */
export interface SpawnWish {
  readonly request: Omit<SpawnRequest, 'worktree'>
  readonly starter: Starter
  /** In a worktree of its own. */
  readonly worktree: boolean
}

/** A request that fits its route. `query` and `body` fit the schemas of the row. */
export interface Asked<Query = object, Body = object> {
  readonly request: Request
  readonly caller: Caller
  /** `null` for a caller without a name, of a route that needs none. */
  readonly proof: Proof | null
  readonly params: Readonly<Record<string, string>>
  /** The variable part of the path. */
  readonly id: string
  readonly query: Query
  readonly body: Body
  /** The `Idempotency-Key`; `null` without one. */
  readonly key: string | null
  /** The signature of the caller: nothing in a body signs. */
  readonly by: Requester
  /** For `eventStream`, if the route has that type. */
  readonly place: StreamPlace
}

/** A row of the table: the work of the server, and its text in `/openapi.json`. */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** The least role that may; `null`: no token is needed. */
  readonly role: Role | null
  /** True if a route that needs no token still wants to know who asks. */
  readonly knowsCaller?: true
  /** True if it signs people in. */
  readonly signsIn?: true
  readonly summary: string
  /** JSON Schema of each parameter of the query. */
  readonly query?: Fields
  /** JSON Schema of the body. Default of a `POST`: an empty object. */
  readonly body?: JsonObject
  /** True if an `Idempotency-Key` counts. */
  readonly takesKey?: true
  /** Default: `application/json`. */
  readonly type?: 'text/event-stream'
  /** The document of each success, and what it means when something is refused. */
  readonly answers: Readonly<Record<number, DocumentName | string>>
  /** The document, or the whole response. */
  answer(asked: Asked, site: RestSite): Promise<unknown>
}

/** A document that has a schema in `/openapi.json`. */
type DocumentName = `#${string}`

/** A row as it is written: its method and path, and the types of what it takes, come from elsewhere. */
interface Row<F extends Fields, Body extends object>
  extends Omit<RestRoute, 'method' | 'path' | 'role' | 'query' | 'body' | 'answer'> {
  readonly query?: F
  readonly body?: Schema<Body>
  readonly call: (asked: Asked<FitsAll<F>, Body>, site: RestSite) => Promise<unknown>
}

/** A row of the table. `at` is its method and its path. */
export function route<const F extends Fields = Record<never, Schema>, Body extends object = object>(
  at: string,
  role: Role | null,
  { call, ...row }: Row<F, Body>,
): RestRoute {
  const [method, path = ''] = at.split(' ') as [RestRoute['method'], string?]
  return {
    method,
    path,
    role,
    ...(method === 'POST' && { body: NOTHING }),
    ...row,
    answer: call as RestRoute['answer'],
  }
}

/**
 * The row of a verb of the face (runtime/face/verbs.ts). Without `call`, the verb gets the parts of the path, then the
 * query or body, then the signature of the caller, and its result is the document.
 */
export function verb<const F extends Fields = Record<never, Schema>, Body extends object = object>(
  name: VerbName,
  row: Omit<Row<F, Body>, 'call'> & Partial<Pick<Row<F, Body>, 'call'>>,
): RestRoute {
  const { at = '', role = null, key } = VERBS[name]
  return route(at, role, { ...(key && { takesKey: true }), call: callOf(name), ...row })
}

function callOf(name: VerbName): RestRoute['answer'] {
  const { signs } = VERBS[name]
  const own = name.split('.').at(-1) ?? name
  return async ({ params, query, body, caller, by }, { holdpoint }) => {
    const args: object[] = [...(Object.values(params) as unknown[] as object[]), { ...query, ...body }]
    if (signs) {
      const place = signs.argument
      const member = signs.groups && caller.member_of ? { member_of: caller.member_of } : {}
      args[place] = { ...args[place], [signs.as]: by.by, surface: by.surface, ...member }
    }
    const face = (name === own ? holdpoint : holdpoint[name.split('.')[0] as 'agents']) as unknown as Verbs
    return face[own]?.(...args)
  }
}

type Verbs = Readonly<Record<string, (...args: readonly object[]) => Promise<unknown>>>

/** The surface that programs sign with, and sessions begin and end at. */
export const SURFACE = 'http'

/** The surface that decisions and messages are signed with: people at the page have one of their own. */
export function surfaceOf(proof: Proof | null): string {
  return proof === null || proof.kind === 'token' ? SURFACE : 'inbox'
}

/** The person who looks or decides, for the face. */
export function principalOf({ name, role, groups = [], member_of = null }: Caller): Principal {
  const rights = { see: true, decide: role !== 'viewer' }
  return { name, kind: 'person', groups, member_of, proven: 'token', rights }
}
