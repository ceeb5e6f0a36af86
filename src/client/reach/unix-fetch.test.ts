import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectHoldpoint } from '../connect-holdpoint.ts'
import { fetchFor } from './unix-fetch.ts'

async function aSocket(answer: RequestListener): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-socket-'))
  const path = join(directory, 'one')
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(path, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(directory, { recursive: true })
  })
  return path
}

test('a client reaches a server on a socket with its token, its path and its body', async () => {
  const seen: unknown[] = []
  const path = await aSocket(async (request, response) => {
    const chunks = await request.toArray()
    const { method, url, headers } = request
    seen.push([method, url, headers.host, headers.authorization, Buffer.concat(chunks).toString()])
    response.setHeader('content-type', 'application/json').end('{"outcome":"sent"}')
  })
  const remote = connectHoldpoint({ url: `unix:${path}`, token: 'secret-token' })
  expect(await remote.tasks.cancel('task_1', { reason: 'ö' })).toEqual({ outcome: 'sent' })
  expect(seen).toEqual([['POST', '/v1/tasks/task_1/cancel', 'localhost', 'Bearer secret-token', '{"reason":"ö"}']])
})

test('what a server says piece by piece is read piece by piece', async () => {
  const path = await aSocket((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('one')
  })
  const { body, status } = await fetchFor(`unix:${path}`)('http://localhost/v1/changes')
  const first = await body?.getReader().read()
  expect([status, Buffer.from(first?.value ?? []).toString()]).toEqual([200, 'one'])
})

test('a socket without a server is told as a server that cannot be reached, and an abort by its own reason', async () => {
  const remote = connectHoldpoint({ url: 'unix:/no/such/socket', token: 'secret-token', retries: 0 })
  await expect(remote.me()).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('unix:/no/such/socket cannot be reached: connect ENOENT'),
  })
  const path = await aSocket(() => {})
  const reason = new TypeError('enough')
  const signal = AbortSignal.timeout(50)
  const asked = fetchFor(`unix:${path}`)('http://localhost/', { signal })
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
  const over = new AbortController()
  over.abort(reason)
  await expect(fetchFor(`unix:${path}`)('http://localhost/', { signal: over.signal })).rejects.toBe(reason)
})

test('an address without a path is refused before anything is sent', () => {
  expect(() => connectHoldpoint({ url: 'unix:', token: 'secret-token' })).toThrow(
    expect.objectContaining({ code: 'unsafe_address' }),
  )
})
