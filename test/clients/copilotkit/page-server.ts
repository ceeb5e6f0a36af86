import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { type ServerProcess, TOKEN } from '../../scenarios/server/server-process.ts'

const PACKAGES = resolve(import.meta.dirname, '../node_modules')

export interface PageServer extends AsyncDisposable {
  readonly url: string
}

/** A page of this folder, with the routes of `server` beside it: no browser sees the token. */
export async function aPageServer(file: string, server: ServerProcess): Promise<PageServer> {
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, file)],
    ...{ outdir: import.meta.dirname, bundle: true, write: false, minify: true, format: 'esm', jsx: 'automatic' },
    loader: { '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl' },
    define: { 'process.env.NODE_ENV': '"production"' },
    nodePaths: [PACKAGES],
  })
  const script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? ''
  const listener = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    if (url === '/') return outgoing.setHeader('content-type', 'text/html').end(HTML)
    if (url === '/page.js') return outgoing.setHeader('content-type', 'text/javascript').end(script)
    const passed = request(`${server.url}${url}`, { method, headers: { ...headers, authorization: `Bearer ${TOKEN}` } })
    passed.on('response', answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    return incoming.pipe(passed)
  })
  await new Promise<void>(listens => listener.listen(0, '127.0.0.1', listens))
  return {
    url: `http://localhost:${(listener.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections()
      listener.close()
    },
  }
}

const HTML =
  '<!doctype html><meta charset="utf-8"><main id="chat"></main><script type="module" src="/page.js"></script>'
