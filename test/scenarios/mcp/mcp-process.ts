import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { CLI, type Project } from '../project.ts'
import { ERAS, type Era, TOKEN } from './clients.ts'

export interface Connected extends AsyncDisposable {
  readonly client: Client
  /** What the server wrote besides the protocol. */
  readonly stderr: () => string
  readonly pid: number
}

export interface StdioOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly client?: ClientOptions
  readonly prepare?: (client: Client) => void
}

/** The real client, and `holdpoint mcp` as the process that it starts. */
export async function overStdio(project: Project, era: Era, options: StdioOptions = {}): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...(options.args ?? [])],
    cwd: project.directory,
    env: { ...project.environment, ...options.env },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', chunk => {
    stderr += String(chunk)
  })
  const client = new Client({ name: 'tester', version: '1' }, { ...ERAS[era], ...options.client })
  options.prepare?.(client)
  await client.connect(transport)
  return { client, stderr: () => stderr, pid: transport.pid ?? 0, [Symbol.asyncDispose]: () => client.close() }
}

export interface HttpServer extends AsyncDisposable {
  readonly url: URL
  readonly child: ChildProcess
  /** Lines on stderr so far. */
  readonly said: string[]
  readonly exit: Promise<number | null>
  connect(era: Era, options?: ClientOptions, name?: string): Promise<Client>
}

/** `holdpoint mcp --http` on a free port. */
export async function overHttp(project: Project, ...args: string[]): Promise<HttpServer> {
  const child = project.start(['mcp', '--http', '--port', '0', ...args], { env: { HOLDPOINT_MCP_TOKEN: TOKEN } })
  const { promise: url, resolve, reject } = Promise.withResolvers<URL>()
  const exit = new Promise<number | null>(ended => child.once('close', ended))
  const said: string[] = []
  if (child.stderr)
    createInterface(child.stderr).on('line', line => {
      said.push(line)
      const found = /http:\/\/\S+/.exec(line)?.[0]
      if (found) resolve(new URL(found))
    })
  exit.then(() => reject(new TypeError(`it ended: ${said.join('\n')}`))).catch(() => {})
  const at = await url
  return {
    url: at,
    child,
    said,
    exit,
    connect: async (era, options = {}, name = 'tester') => {
      const client = new Client({ name, version: '1' }, { ...ERAS[era], ...options })
      const headers = { authorization: `Bearer ${TOKEN}` }
      await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers } }))
      return client
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill('SIGKILL')
      await exit
    },
  }
}
