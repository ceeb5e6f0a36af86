import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly ms: number
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly Span[]
  /** Bodies as they came. */
  readonly bodies: readonly string[]
  /** The status of its answers from now on. */
  answer(status: number): void
  /** Until there are spans of this name, so many of them. */
  received(name: string, count?: number): Promise<readonly Span[]>
}

/** A collector that takes OTLP over HTTP as JSON. */
export async function aCollector(): Promise<Collector> {
  const [spans, bodies]: [Span[], string[]] = [[], []]
  let status = 200
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', text => (body += text))
    request.on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
      if (status !== 200 || request.url !== '/v1/traces') return
      bodies.push(body)
      spans.push(...spansIn(JSON.parse(body)))
    })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}`, spans, bodies },
    answer: next => {
      status = next
    },
    received: async (name, count = 1) => {
      for (;;) {
        const found = spans.filter(span => span.name === name)
        if (found.length >= count) return found
        await new Promise(resolve => setTimeout(resolve, 25))
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
function spansIn({ resourceSpans }: any): Span[] {
  // biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
  return resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans.flatMap(({ spans }: any) => spans.map(spanOf)))
}

// biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
function spanOf(span: any): Span {
  const { name, traceId, spanId, parentSpanId, status } = span
  const ms = Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n)
  // biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
  const attributes = Object.fromEntries(span.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]))
  return { name, traceId, spanId, parentSpanId, ms, isError: status.code === 2, attributes }
}
