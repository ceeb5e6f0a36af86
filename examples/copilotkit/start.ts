/**
 * Starts `holdpoint serve` here and a small server for the page: `npm start`. Requests of the page go on to Holdpoint with
 * its token, which no browser sees. Host and Origin go on too: Holdpoint refuses pages of other sites.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'

const here = import.meta.dirname
const token = randomBytes(32).toString('base64url')

const cli = join(here, 'node_modules/holdpoint/dist/cli/bin.js')
const holdpoint = spawn(process.execPath, [cli, 'serve', '--port', '0'], {
  cwd: here,
  env: { HOLDPOINT_MODEL: `script:${join(here, 'script.yaml')}`, ...process.env, HOLDPOINT_SERVER_TOKEN: token },
  stdio: ['ignore', 'inherit', 'pipe'],
})
process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))
process.on('exit', () => holdpoint.kill())
holdpoint.on('exit', code => process.exit(code ?? 1))

const { promise: listening, resolve } = Promise.withResolvers<string>()
createInterface(holdpoint.stderr).on('line', line => {
  const url = /listening on (\S+)/.exec(line)?.[1]
  if (url) resolve(url)
  else if (!line.includes('HOLDPOINT_SERVER_TOKEN')) console.error(line)
})

const page = await build({
  entryPoints: [join(here, 'page.tsx')],
  outdir: here,
  bundle: true,
  write: false,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  loader: { '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl' },
  define: { 'process.env.NODE_ENV': '"production"' },
})
const files: Record<string, { readonly type: string; readonly body: string | Uint8Array }> = {
  '/': { type: 'text/html', body: readFileSync(join(here, 'index.html')) },
  '/page.js': { type: 'text/javascript', body: built('.js') },
  '/page.css': { type: 'text/css', body: built('.css') },
}
function built(ending: string): Uint8Array | string {
  return page.outputFiles.find(({ path }) => path.endsWith(ending))?.contents ?? ''
}
const upstream = new URL(await listening)

const server = createServer((incoming, outgoing) => {
  const { pathname } = new URL(incoming.url ?? '/', 'http://localhost')
  const file = files[pathname]
  if (pathname.startsWith('/ag-ui/')) passOn(incoming, outgoing)
  else if (file) outgoing.writeHead(200, { 'content-type': `${file.type}; charset=utf-8` }).end(file.body)
  else outgoing.writeHead(404).end()
})

function passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { hostname, port } = upstream
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
  const { method = 'GET', url = '/' } = incoming
  const passed = request({ hostname, port, method, path: url, headers }, answer => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  passed.on('error', () => outgoing.destroy())
  // The run goes on: a closed page closes its stream alone.
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
}

server.listen(Number(process.env['PORT'] ?? 5173), '127.0.0.1', () => {
  console.log(`Open http://localhost:${(server.address() as AddressInfo).port}`)
})
