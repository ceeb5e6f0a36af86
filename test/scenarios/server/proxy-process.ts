import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export const NAME = 'holds.example.com'
const PAGE = 'docs/server.md'

/** A proxy as docs/server.md sets it up, but for its port, its certificate and the port of the server. */
export interface Proxy {
  readonly name: 'nginx' | 'caddy'
  readonly language: string
  /** The configuration of the page, ready to run in this directory. */
  configure(
    snippet: string,
    place: ProxyPlace,
  ): { readonly file: string; readonly text: string; readonly args: string[] }
}

interface ProxyPlace {
  readonly directory: string
  readonly port: number
  readonly serverPort: string
}

export const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    language: 'nginx',
    configure: (snippet, { directory, port, serverPort }) => {
      const server = snippet
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('127.0.0.1:4747', `127.0.0.1:${serverPort}`)
        .replace('/etc/ssl/holds.pem', join(directory, 'cert.pem'))
        .replace('/etc/ssl/holds.key', join(directory, 'key.pem'))
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        each => `${each}_temp_path ${join(directory, each)};`,
      )
      const text = `daemon off; user root; pid ${join(directory, 'pid')}; error_log stderr;\nevents {}\nhttp { access_log off; ${places.join(' ')}\n${server}\n}\n`
      const file = join(directory, 'nginx.conf')
      return { file, text, args: ['-e', 'stderr', '-c', file] }
    },
  },
  {
    name: 'caddy',
    language: 'caddyfile',
    configure: (snippet, { directory, port, serverPort }) => {
      const site = snippet
        .replace(
          `${NAME} {`,
          `https://${NAME}:${port} {\n  tls ${join(directory, 'cert.pem')} ${join(directory, 'key.pem')}`,
        )
        .replace('127.0.0.1:4747', `127.0.0.1:${serverPort}`)
      const file = join(directory, 'Caddyfile')
      const text = `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`
      return { file, text, args: ['run', '--adapter', 'caddyfile', '--config', file] }
    },
  },
]

export function isThere({ name }: Proxy): boolean {
  return spawnSync(name, [name === 'nginx' ? '-v' : 'version']).status === 0
}

export interface ProxyProcess extends AsyncDisposable {
  send(path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<ProxyAnswer>
}

export interface ProxyAnswer {
  readonly status: number
  readonly response: IncomingMessage
  text(): Promise<string>
}

export async function aProxy(proxy: Proxy, directory: string, serverUrl: string): Promise<ProxyProcess> {
  mkdirSync(directory, { recursive: true })
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  const files = ['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'cert.pem')]
  spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files])
  const place = { directory, port: await freePort(), serverPort: new URL(serverUrl).port }
  const { file, text, args } = proxy.configure(snippetOf(proxy.language), place)
  writeFileSync(file, text)
  const child = spawn(proxy.name, args, { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: directory } })
  await listens(place.port, child)
  return {
    send: (path, headers, body) => send({ port: place.port, path, headers }, body),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** The one snippet of this language. */
function snippetOf(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(readFileSync(PAGE, 'utf8'))?.[1]
  if (found === undefined) throw new TypeError(`${PAGE} has no ${language}`)
  return found
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

async function listens(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new TypeError(`the proxy ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await delay(50)
  }
}

interface Sent {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

async function send({ port, path, headers }: Sent, body?: string): Promise<ProxyAnswer> {
  const sent: ClientRequest = request({
    ...{ host: '127.0.0.1', port, path, servername: NAME, rejectUnauthorized: false, agent: false },
    method: body === undefined ? 'GET' : 'POST',
    headers: { host: NAME, ...headers },
  })
  const answered = once(sent, 'response')
  sent.on('error', () => {})
  sent.end(body)
  const [response] = (await answered) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    response,
    text: async () => {
      let text = ''
      for await (const chunk of response) text += chunk
      return text
    },
  }
}
