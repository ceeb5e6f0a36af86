/**
 * A provider on loopback, as `openai-compatible`. It says so many tokens a second: `say 1600 at 200`. At `ask` it calls
 * `run_command`.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export class TokenServer implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<TokenServer> {
    const server = createServer((request, response) => {
      // A client that was stopped reads no more.
      answer(request, response).catch(() => response.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TokenServer(server)
  }

  /** For processes that are to use it. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo
    return {
      HOLDPOINT_MODEL: 'openai-compatible/bench',
      OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(closed => this.#server.close(closed))
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse((await request.toArray()).join('')) as ChatRequest
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (lastWords(body) === 'ask') {
    response.write(chunk({ tool_calls: [aCall()] }, 'tool_calls'))
    response.end('data: [DONE]\n\n')
    return
  }
  for await (const delta of deltas(body)) response.write(chunk(delta, null))
  response.write(chunk({}, 'stop'))
  response.end('data: [DONE]\n\n')
}

async function* deltas(body: ChatRequest): AsyncGenerator<object> {
  const [, count = '1', rate = '1000'] = /^say (\d+) at (\d+)/.exec(lastWords(body)) ?? []
  const start = performance.now()
  for (let n = 0; n < Number(count); n += 1) {
    const due = start + (n * 1_000) / Number(rate) - performance.now()
    if (due > 0) await delay(due)
    yield { content: n % 12 === 11 ? 'token\n' : 'token ' }
  }
}

function lastWords({ messages }: ChatRequest): string {
  const { role, content } = messages.at(-1) ?? {}
  if (role !== 'user') return ''
  return typeof content === 'string' ? content : String((content as { text?: string }[])[0]?.text)
}

function aCall(): object {
  const named = { name: 'run_command', arguments: '{"command":"true"}' }
  return { index: 0, id: `call_${crypto.randomUUID()}`, type: 'function', function: named }
}

function chunk(delta: object, finish_reason: string | null): string {
  const about = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench' }
  return `data: ${JSON.stringify({ ...about, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
}
