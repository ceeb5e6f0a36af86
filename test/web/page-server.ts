/** Serves the built page before a `holdpoint serve`, and exchanges tokens for a cookie. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'

const PAGE = resolve(import.meta.dirname, '../../dist/web')

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'"

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface PageServer extends AsyncDisposable {
  readonly url: string
}

export async function aPageServer(behind: string): Promise<PageServer> {
  const server = createServer((asked, answer) => void answered(asked, answer, behind))
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}

async function answered(asked: IncomingMessage, answer: ServerResponse, behind: string): Promise<void> {
  const { pathname } = new URL(asked.url ?? '/', behind)
  if (pathname === '/v1/session') return session(asked, answer, behind)
  if (pathname.startsWith('/v1/')) return passedOn(asked, answer, behind)
  const isAsset = pathname.startsWith('/assets/')
  const file = join(PAGE, isAsset ? pathname : 'index.html')
  const head = { 'content-type': TYPES[extname(file)] ?? '', 'content-security-policy': POLICY }
  answer.writeHead(200, { ...head, 'cache-control': isAsset ? 'max-age=31536000, immutable' : 'no-cache' })
  answer.end(await readFile(file))
}

async function session(asked: IncomingMessage, answer: ServerResponse, behind: string): Promise<void> {
  if (asked.method === 'DELETE') {
    answer.writeHead(204, { 'set-cookie': 'hp=; Max-Age=0; Path=/' }).end()
    return
  }
  let body = ''
  for await (const chunk of asked) body += chunk
  const { token } = JSON.parse(body) as { token: string }
  const known = await fetch(`${behind}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  const cookie = known.ok ? { 'set-cookie': `hp=${token}; HttpOnly; SameSite=Strict; Path=/` } : {}
  const type = known.headers.get('content-type') ?? ''
  answer.writeHead(known.status, { ...cookie, 'content-type': type }).end(await known.text())
}

function passedOn(asked: IncomingMessage, answer: ServerResponse, behind: string): void {
  const { cookie = '', host: _, origin: __, ...headers } = asked.headers
  const token = /(?:^|; )hp=([^;]+)/.exec(cookie)?.[1]
  const authorization = token && { authorization: `Bearer ${token}` }
  const options = { method: asked.method, headers: { ...headers, ...authorization } }
  const passing = request(new URL(asked.url ?? '/', behind), options, given => {
    answer.writeHead(given.statusCode ?? 502, given.headers)
    answer.flushHeaders()
    given.pipe(answer)
  })
  passing.on('error', () => answer.destroy())
  answer.on('close', () => passing.destroy())
  asked.pipe(passing)
}
