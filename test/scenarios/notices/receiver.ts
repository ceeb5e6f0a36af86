/** A receiver of webhooks on this machine, as badly behaved as a test wants it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Posted {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  readonly json: any
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly posts: readonly Posted[]
  /** How it answers from now on. */
  answer: (response: ServerResponse, posted: Posted) => void
}

export async function aReceiver(): Promise<Receiver> {
  const posts: Posted[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const posted = { headers: request.headers, body, json: JSON.parse(body) }
    posts.push(posted)
    receiver.answer(response, posted)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    posts,
    answer: response => response.end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return receiver
}

/** The events that it got, in order. */
export function eventsAt({ posts }: Receiver): string[] {
  return posts.map(({ json }) => json.type)
}
