import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Project } from '../project.ts'

export const TOKEN = 'the-token-of-the-owner'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  readonly json: any
}

export interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly child: ChildProcess
  /** Lines on stderr so far. */
  readonly said: string[]
  readonly exit: Promise<number | null>
  send(path: string, sent?: Sent): Promise<Answer>
  fetch(path: string, sent?: Sent, init?: RequestInit): Promise<Response>
}

/** `holdpoint serve`, on a free port if `args` name none. */
export async function aServer(project: Project, ...args: string[]): Promise<ServerProcess> {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = project.start(['serve', ...port, ...args], { env: { HOLDPOINT_SERVER_TOKEN: TOKEN } })
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>()
  const exit = new Promise<number | null>(ended => child.once('close', ended))
  const said: string[] = []
  if (child.stderr)
    createInterface(child.stderr).on('line', line => {
      said.push(line)
      const found = /(?:listening on |"server\.listening","url":")(https?:\/\/[^\s"]+)/.exec(line)?.[1]
      if (found) resolve(found)
    })
  exit.then(() => reject(new TypeError(`it ended: ${said.join('\n')}`))).catch(() => {})
  const url = await listening
  const request = (path: string, { method, body, headers, token = TOKEN }: Sent = {}, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        // The server ends idle connections, and a busy machine may reuse one at that moment.
        connection: 'close',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...init,
    })
  return {
    ...{ url, child, said, exit, fetch: request },
    send: async (path, sent) => {
      const response = await request(path, sent)
      const text = await response.text()
      return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill('SIGKILL')
      await exit
    },
  }
}

/** The one open hold, once there is one. */
// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
export async function openHold(server: ServerProcess, runId: string): Promise<any> {
  for (;;) {
    const { json } = await server.send(`/v1/holds?run_id=${runId}`)
    if (json.holds.length > 0) return json.holds[0]
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
export async function doneRun(server: ServerProcess, runId: string): Promise<any> {
  for (;;) {
    const { json } = await server.send(`/v1/runs/${runId}`)
    if (json.status === 'done') return json
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}
