import { performance } from 'node:perf_hooks'
import type { AnswerRequest } from '../../protocols/http/answer-requests.ts'
import { matchRoutes } from '../../protocols/http/match-route.ts'
import type { Exchange, Route } from '../../protocols/http/route.ts'
import type { StreamPlace } from '../../protocols/http/stream-places.ts'

/** A request that was answered. Of what its client chose, there are only ids of ours. */
export interface ToldRequest {
  readonly method: string
  /** The path of its row in the table, such as `/v1/runs/:id`; `none` for any other path. */
  readonly route: string
  readonly status: number
  /** Milliseconds until the head of the answer. */
  readonly ms: number
  /** The name of its token; `null` if the gate did not let it in, or let in everybody. */
  readonly caller: string | null
  /** The parts of the path that are ids, by name. */
  readonly ids: Readonly<Record<string, string>>
}

type Reached = Pick<ToldRequest, 'caller' | 'ids'>

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const IS_ID = /^[a-z]{2,6}_[0-9a-z]{8,40}$/
const NOWHERE: Reached = { caller: null, ids: {} }

/** Tells of each request after its answer, and counts the streams that are open. */
export class RequestObserver {
  readonly #tell: (request: ToldRequest) => void
  readonly #reached = new WeakMap<Request, Reached>()
  #streams = 0

  constructor(tell: (request: ToldRequest) => void) {
    this.#tell = tell
  }

  get streams(): number {
    return this.#streams
  }

  /** The same routes, which note whose request reached them. */
  routes(routes: readonly Route[]): Route[] {
    return routes.map(route => ({
      ...route,
      answer: exchange => {
        const { request, caller, params } = exchange
        const ids = Object.fromEntries(Object.entries(params).filter(([, value]) => IS_ID.test(value)))
        this.#reached.set(request, { caller: caller.name || null, ids })
        return route.streams ? this.#streamed(route, exchange) : route.answer(exchange)
      },
    }))
  }

  async #streamed(route: Route, exchange: Exchange): Promise<Response> {
    using taken = new DisposableStack()
    const place = taken.use(this.#counted(exchange.place))
    const response = await route.answer({ ...exchange, place })
    // A stream gives its place back itself.
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) taken.move()
    return response
  }

  #counted(place: StreamPlace): StreamPlace {
    let isOpen = true
    this.#streams += 1
    return {
      signal: place.signal,
      turn: () => place.turn(),
      failed: error => place.failed(error),
      [Symbol.dispose]: () => {
        if (isOpen) this.#streams -= 1
        isOpen = false
        place[Symbol.dispose]()
      },
    }
  }

  observe(routes: readonly Route[], answer: AnswerRequest): AnswerRequest {
    return async (request, sender) => {
      const before = performance.now()
      const response = await answer(request, sender)
      const ms = performance.now() - before
      const [match] = matchRoutes(routes, new URL(request.url).pathname)
      const method = METHODS.includes(request.method) ? request.method : 'other'
      const route = match?.route.path ?? 'none'
      this.#tell({ method, route, status: response.status, ms, ...(this.#reached.get(request) ?? NOWHERE) })
      return response
    }
  }
}
