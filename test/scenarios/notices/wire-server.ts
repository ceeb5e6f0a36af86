/** A server of another service, on loopback, that can be made to behave as badly as the real one on its worst day. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly bytes: Buffer
}

export interface WireAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * `hang`: it never answers, and does nothing. `cut`: it does what was asked, and the connection breaks before its answer.
 * `dropped`: the connection breaks before anything was done.
 */
export type Fault = 'hang' | 'cut' | 'dropped' | WireAnswer

export class WireServer implements AsyncDisposable {
  url = ''
  readonly requests: WireRequest[] = []
  /** Taken by the next requests whose path ends like this, one each. */
  readonly faults: { readonly path: string; readonly fault: Fault }[] = []
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #take: (request: WireRequest) => WireAnswer

  constructor(take: (request: WireRequest) => WireAnswer) {
    this.#take = take
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>(listening => this.#server.listen(port, '127.0.0.1', listening))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  /** The next `count` requests of this path fail like this. */
  fail(path: string, fault: Fault, count = 1): void {
    for (let n = 0; n < count; n++) this.faults.push({ path, fault })
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    this.requests.push(request)
    const fault = this.#nextFault(request)
    if (fault === 'hang') return
    if (fault === 'dropped') return void incoming.socket.destroy()
    const answer = fault === null || fault === 'cut' ? this.#take(request) : fault
    if (fault === 'cut') return void incoming.socket.destroy()
    response.writeHead(answer.status, answer.headers ?? {}).end(answer.body)
  }

  #nextFault({ path }: WireRequest): Fault | null {
    const index = this.faults.findIndex(fault => path.endsWith(fault.path))
    return index < 0 ? null : (this.faults.splice(index, 1)[0]?.fault ?? null)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(closed => this.#server.close(closed))
  }
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const url = new URL(incoming.url ?? '/', 'http://local')
  const bytes = Buffer.concat(chunks)
  return {
    ...{ method: incoming.method ?? 'GET', path: url.pathname, query: url.searchParams, headers: incoming.headers },
    body: bytes.toString('utf8'),
    bytes,
  }
}

export function jsonAnswer(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** Asks until there is an answer. */
export async function until<T>(ask: () => T | null | undefined | Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== undefined) return answer
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
