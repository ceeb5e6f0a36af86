import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { FRAME_PROTOCOL } from '../../../core/fleet/frames.ts'
import { AgentConnection } from './agent-connection.ts'

test('a client that only watches is heard of, so its agent does not take it for gone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-attach-'))
  const endpoint = join(directory, 's')
  const server = createServer().listen(endpoint)
  onTestFinished(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })
  await once(server, 'listening')
  const came = once(server, 'connection') as Promise<[Socket]>
  const door = { endpoint, token: 'secret', protocol: FRAME_PROTOCOL }
  const hello = { role: 'viewer', actor: 'ana' } as const
  using connection = await AgentConnection.open(door, hello, { pingMs: 5 })
  const [socket] = await came
  const said: unknown[] = []
  for await (const line of createInterface({ input: socket })) {
    said.push(JSON.parse(line))
    if (said.length === 3) break
  }
  expect(said).toEqual([expect.objectContaining({ type: 'hello' }), { type: 'ping', n: 1 }, { type: 'ping', n: 2 }])
  socket.write(`${JSON.stringify({ type: 'pong', n: 1 })}\n`)
  socket.end(`${JSON.stringify({ type: 'bye', because: 'over' })}\n`)
  const heard: unknown[] = []
  for await (const frame of connection.frames(new AbortController().signal)) heard.push(frame)
  expect(heard).toEqual([{ type: 'bye', because: 'over' }])
})
