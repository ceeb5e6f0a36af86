import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { wellFormed } from '../../core/text/kept-text.ts'
import { type PlayedTurn, playScript } from '../../models/play-script.ts'
import { asScript, type Script } from '../../models/script.ts'
import { imageFaults } from './image-faults.ts'

/**
 * How a server fails one request. A status is answered with `body`, or else an error in the provider's shape.
 * - `hang` never answers · `reset` breaks the connection before an answer
 * - `stall` falls silent in the middle of the answer · `break` breaks the connection there
 * - `cut` ends the answer in its middle, as if that were all · `overload` reports an error there
 * - `garble` sends something there that is no JSON, and goes on
 */
export type Misbehaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | 'hang'
  | 'reset'
  | 'stall'
  | 'break'
  | 'cut'
  | 'overload'
  | 'garble'

/** An answer from the body of a request, and the number of those that were answered before. */
export type MakeTurn = (body: string, answered: number) => Script[number]

/** The options of a server that plays a model. */
export interface ModelServerOptions {
  /**
   * The answers of the model, as in a scripted model; the turn is chosen by the answers that a request repeats. Or a
   * function that makes them.
   */
  readonly turns: Script | MakeTurn
  /** Requests of more tokens are refused as the provider refuses them. A token is four characters of the request. */
  readonly window?: number
  /**
   * Each answer begins with this thought, which the provider has signed, encrypted or given an id, and wants back. The
   * Anthropic server thinks before calls alone; the server of chat completions has no thoughts.
   */
  readonly thought?: string
  /**
   * Answers as a provider streamed them: the events of each, which is chosen as the turns are. After the last one the turns
   * are played.
   */
  readonly recorded?: readonly (readonly object[])[]
  /** Consumed one per valid request; `null`, and running out, means to behave. */
  readonly fail?: readonly (Misbehaviour | null)[]
}

/** Without the types of Node, which a project may not have. */
interface RecordedHeaders {
  readonly authorization?: string | undefined
  readonly [name: string]: string | readonly string[] | undefined
}

/** A request that the server got. */
export interface RecordedRequest {
  readonly path: string
  /** By names in lower case. */
  readonly headers: RecordedHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as deep as they like
  readonly body: any
  /** The faults of its messages; if there are any, it was answered with 400. */
  readonly violations: readonly string[]
  /** True once the client went away before it had the whole answer. */
  aborted: boolean
}

/** A local server that speaks a provider's streaming API. Close it with `await using`. */
export interface ModelServer extends AsyncDisposable {
  /** The value for the provider's base URL variable. */
  readonly url: string
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[]
}

/** The differences between providers. @internal */
export interface Wire {
  /** The path of base URLs, and the one that answers are asked for. A pattern, if it names the model and says how to answer. */
  readonly basePath: string
  readonly path: string | RegExp
  violations(body: unknown): string[]
  /** The status of a refusal; left out if it is always 400. */
  statusOf?(violation: string): number
  /** How many answers of the model a request repeats. */
  answersIn(body: Readonly<Record<string, unknown>>): number
  error(status: number, message: string): unknown
  /** Its words for a request of too many tokens. */
  tooLong(sent: number, window: number): string
  /** The events of a whole answer, each as it is sent. */
  events(turn: PlayedTurn, body: Readonly<Record<string, unknown>>, thought: string): string[]
  errorEvent(message: string): string
  /** A recorded answer, as it is sent. Left out if the server has no recorded ones. */
  replay?(events: readonly object[], body: Readonly<Record<string, unknown>>): string[]
  /** The document in place of all events, for paths on which nothing is streamed. Default: there is no such path. */
  whole?(path: string, events: readonly string[]): unknown
}

interface Stage {
  readonly wire: Wire
  readonly requests: RecordedRequest[]
  readonly failures: (Misbehaviour | null)[]
  readonly closed: AbortSignal
  readonly thought: string
  readonly window: number
  readonly recorded: readonly (readonly object[])[]
  turnOf(body: Readonly<Record<string, unknown>>): PlayedTurn
}

interface Exchange extends Stage {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly response: ServerResponse
}

/** @internal */
export async function openModelServer(
  wire: Wire,
  { turns, fail = [], thought = '', recorded = [], window = Number.POSITIVE_INFINITY }: ModelServerOptions,
): Promise<ModelServer> {
  const closing = new AbortController()
  const requests: RecordedRequest[] = []
  const turnOf = typeof turns === 'function' ? madeBy(turns, window) : playedBy(turns, wire)
  const stage: Stage = {
    wire,
    requests,
    failures: [...fail],
    closed: closing.signal,
    thought,
    window,
    recorded,
    turnOf,
  }
  const server = createServer((request, response) => {
    serve(stage, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${wire.basePath}`,
    requests,
    async [Symbol.asyncDispose]() {
      closing.abort()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** An event as server-sent events write it. @internal */
export function serverSentEvent(data: unknown, name?: string): string {
  return `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** `text` in up to `count` pieces, none of them empty. @internal */
export function pieces(text: string, count = 3): string[] {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / count))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

async function serve(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { wire, requests, failures } = stage
  const body = parsed(await textOf(request))
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  const record = { path, headers: request.headers, body, violations: faultsOf(wire, path, body), aborted: false }
  requests.push(record)
  // The client may go away at any time.
  response.on('error', () => {})
  response.on('close', () => {
    record.aborted = !response.writableFinished
  })
  const exchange = { ...stage, path, body, response }
  if (!isAsked(wire, path)) refuse(exchange, 404, `nothing at ${path}`)
  else if (record.violations.length > 0)
    refuse(exchange, wire.statusOf?.(record.violations[0] ?? '') ?? 400, record.violations.join('; '))
  else if (tokensIn(body) > stage.window) refuse(exchange, 400, wire.tooLong(tokensIn(body), stage.window))
  else await answer(exchange, failures.shift() ?? null)
}

/** The tokens of a request, as these servers count them. @internal */
export function tokensIn(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / 4)
}

function playedBy(turns: Script, wire: Wire): Stage['turnOf'] {
  const turnAt = playScript(asScript(turns, 'turns'))
  return body => turnAt(wire.answersIn(body))
}

/** With a window, the usage is what the server counts. */
function madeBy(make: MakeTurn, window: number): Stage['turnOf'] {
  let answered = 0
  return body => {
    const made = make(JSON.stringify(body), answered)
    const turn = playScript(asScript([made], 'turns'))(0)
    const calls = turn.calls.map(call => ({ ...call, id: call.id.replace('call_0_', `call_${answered}_`) }))
    answered += 1
    const [input_tokens, output_tokens] = [tokensIn(body), tokensIn(made)]
    const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
    return { ...turn, calls, ...(Number.isFinite(window) && { usage }) }
  }
}

async function answer(exchange: Exchange, failure: Misbehaviour | null): Promise<void> {
  if (failure === 'hang') return
  if (failure === 'reset') exchange.response.destroy()
  else if (failure !== null && typeof failure === 'object') refuse(exchange, failure.status, 'told to fail', failure)
  else await play(exchange, failure)
}

async function play(exchange: Exchange, failure: InStream): Promise<void> {
  const turn = exchange.turnOf(exchange.body)
  await setTimeout(turn.delayMs, undefined, { signal: exchange.closed })
  if (turn.failure) refuse(exchange, turn.failure.retryable ? 503 : 400, turn.failure.message)
  else await stream(exchange, turn, failure)
}

function isAsked({ path: own }: Wire, path: string): boolean {
  return typeof own === 'string' ? path === own : own.test(path)
}

function faultsOf(wire: Wire, path: string, body: Readonly<Record<string, unknown>>): string[] {
  if (!isAsked(wire, path)) return []
  return [
    ...(body['stream'] === true || typeof wire.path !== 'string' ? [] : ['stream: this server only streams']),
    ...(wellFormed(body) === body ? [] : [HALF_A_CHARACTER]),
    ...imageFaults(body),
    ...wire.violations(body),
  ]
}

/** Providers read such a request as no JSON at all. */
const HALF_A_CHARACTER = 'The request body is not valid JSON: no low surrogate in string'

type InStream = Extract<Misbehaviour, string> | null

async function stream(exchange: Exchange, turn: PlayedTurn, failure: InStream): Promise<void> {
  const { wire, path, response } = exchange
  const events = eventsOf(exchange, turn)
  const whole = wire.whole?.(path, events) ?? null
  if (whole !== null) return sendWhole(response, whole, failure)
  const middle = failure === null ? events.length : Math.ceil(events.length / 2)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  await send(response, events.slice(0, middle))
  if (failure === 'stall') return
  if (failure === 'break') return void response.destroy()
  if (failure === 'overload') response.write(wire.errorEvent('overloaded, told to fail'))
  if (failure === 'garble') await send(response, ['data: {"broken\n\n', ...events.slice(middle)])
  response.end()
}

function eventsOf({ wire, body, thought, recorded }: Exchange, turn: PlayedTurn): string[] {
  const given = recorded[wire.answersIn(body)]
  return (given && wire.replay?.(given, body)) ?? wire.events(turn, body, thought)
}

/** A document that fails in its middle never comes. */
function sendWhole(response: ServerResponse, document: unknown, failure: InStream): void {
  if (failure === 'stall') return
  if (failure !== null) return void response.destroy()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

/** Each event in a chunk of its own, so that clients see them one by one. */
async function send(response: ServerResponse, events: readonly string[]): Promise<void> {
  for (const event of events) {
    response.write(event)
    await setImmediate()
  }
}

function refuse(
  { wire, response }: Exchange,
  status: number,
  message: string,
  { headers = {}, body }: Partial<Extract<Misbehaviour, object>> = {},
): void {
  const answer = body ?? wire.error(status, message)
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

/** Of a request with a list of messages. @internal */
export function assistantMessages({ messages }: Readonly<Record<string, unknown>>): number {
  return Array.isArray(messages) ? messages.filter(message => message?.role === 'assistant').length : 0
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}
