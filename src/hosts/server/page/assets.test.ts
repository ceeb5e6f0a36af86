import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServePage, servePage } from './assets.ts'

const SCRIPT = 'console.log("the page")'
let directory = ''
let serve: ServePage = () => null

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-page-'))
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Holdpoint</title>')
  writeFileSync(join(directory, 'assets/main-3f9c.js'), SCRIPT)
  writeFileSync(join(directory, 'assets/main-3f9c.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(directory, 'secret.pem'), 'of another kind')
  serve = servePage(directory)
})
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Response | null {
  const url = new URL(path, 'http://127.0.0.1:4747')
  return serve(new Request(url, { method, headers }), url)
}

test('the page is asked for again each time, and runs no script of another place', async () => {
  const page = get('/', { accept: 'text/html,*/*' })
  expect(await page?.text()).toContain('<title>Holdpoint')
  expect(page?.headers.get('cache-control')).toBe('no-cache')
  expect(page?.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';.*trusted-types/)
  expect(page?.headers.get('referrer-policy')).toBe('no-referrer')
  const again = get('/', { accept: 'text/html', 'if-none-match': page?.headers.get('etag') ?? '' })
  expect([again?.status, again?.headers.get('content-security-policy')]).toEqual([304, expect.anything()])
})

test('a browser that goes to a place of the page gets the page, and a program does not', () => {
  expect(get('/holds/hold_1', { accept: 'text/html' })?.status).toBe(200)
  expect(get('/holds/hold_1', { accept: '*/*' })).toBeNull()
  expect(get('/holds/hold_1', { accept: 'text/html' }, 'POST')).toBeNull()
})

test('files with a digest in their name are kept for a year, and come compressed to those who take it', async () => {
  const plain = get('/assets/main-3f9c.js')
  expect(plain?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain?.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(await plain?.text()).toBe(SCRIPT)
  const packed = get('/assets/main-3f9c.js', { 'accept-encoding': 'gzip, br' })
  expect([packed?.headers.get('content-encoding'), packed?.headers.get('vary')]).toEqual(['br', 'Accept-Encoding'])
  expect(brotliDecompressSync(new Uint8Array((await packed?.arrayBuffer()) ?? [])).toString()).toBe(SCRIPT)
  for (const none of ['gzip', 'br;q=0', 'brotli'])
    expect(get('/assets/main-3f9c.js', { 'accept-encoding': none })?.headers.get('content-encoding')).toBeNull()
  expect(await get('/assets/main-3f9c.js', {}, 'HEAD')?.text()).toBe('')
})

test.each([
  '/assets/main-3f9c.js.br',
  '/secret.pem',
  '/assets/../secret.pem',
  '/%2e%2e/package.json',
  '/assets',
  '//etc/passwd',
])('there is nothing at %s', path => {
  expect(get(path)).toBeNull()
})
