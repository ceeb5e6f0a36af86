import type { JsonObject } from '../../core/text/json.ts'
import type { Caller } from './gate.ts'
import type { Problem } from './problem.ts'
import type { Proof } from './proof.ts'
import type { StreamPlace } from './stream-places.ts'

/** A row in the route table of a protocol. */
export interface Route {
  readonly methods: readonly string[]
  /** A path such as `/v1/holds/:id`; a part that begins with a colon matches any text. */
  readonly path: string
  /** The largest body in bytes; without it, bodies are not read. */
  readonly maxBodyBytes?: number
  /**
   * True if it may answer with an event stream: then a caller who has too many of them is refused before it answers.
   * `uncounted`: the protocol has limits of its own.
   */
  readonly streams?: true | 'uncounted'
  /**
   * Answers without a caller, also while the server ends. The answer reveals nothing of the store, unless the request
   * has another proof. `knows`: a caller with a valid proof is identified.
   */
  readonly isPublic?: true | 'knows'
  /** True if it signs people in: each address may ask it only so often. */
  readonly signsIn?: true
  /** The words of `/openapi.json` on each method, unless a table of the protocol's own has them. */
  readonly operations?: Readonly<Record<string, RouteOperation>>
  /** May throw a `RefusedError`, which the caller receives. */
  answer(exchange: Exchange): Promise<Response>
  /** How the protocol writes a problem. Default: `application/problem+json`. */
  refuse?(problem: Problem): Response
}

/** A route in the words of OpenAPI, for clients that do not have the protocol. */
export interface RouteOperation {
  readonly summary: string
  /** The callers who may use it. */
  readonly description: string
  readonly query?: Readonly<Record<string, JsonObject>>
  /** JSON Schema of the body. */
  readonly body?: JsonObject
  /** Default: `application/json`. */
  readonly bodyType?: string
  /** Each success: what it means, with the type of its body if it has one. */
  readonly answers: Readonly<Record<number, { readonly text: string; readonly type?: string }>>
  /** The type of a refusal's body. */
  readonly refusalType: string
}

/** A request whose caller is known and whose body has been read. */
export interface Exchange {
  readonly request: Request
  readonly url: URL
  /** On a public route, a caller without a name. */
  readonly caller: Caller
  /** The caller's proof; `null` for a caller without a name. */
  readonly proof: Proof | null
  /** The values of the path parameters, by name. */
  readonly params: Readonly<Record<string, string>>
  /** The JSON of the body; `undefined` without one. */
  readonly body: unknown
  /** For `eventStream`, if the route streams. */
  readonly place: StreamPlace
}

/** A protocol, as the server takes it. */
export interface Protocol {
  readonly routes: readonly Route[]
  /** Ends what it keeps open between requests, such as sessions. */
  close?(): Promise<void>
}
