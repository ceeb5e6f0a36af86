import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { JournalEvent } from '../../../src/core/journal/event.ts'
import { AttachedClient } from '../../../src/hosts/agent-process/attached-client.ts'
import { ClientOutput, lineOf } from '../../../src/hosts/agent-process/client-output.ts'
import { anAgent, Client } from './agent-stage.ts'

const MIB = 1024 * 1024

/** Both ends of a connection. */
async function aConnection(directory: string): Promise<readonly [near: Socket, far: Socket]> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const server = createServer(resolve).listen(join(directory, 'pair'))
  const far = connect(join(directory, 'pair'))
  onTestFinished(() => {
    far.destroy()
    server.close()
  })
  return [await promise, far]
}

const text = 'x'.repeat(100_000)
const anEvent = (seq: number) => ({ seq, kind: 'note', run_id: 'run_1', data: { text } }) as unknown as JournalEvent

test('a client that never reads costs at most 4 MiB, and once it reads it misses pieces, but no event', async () => {
  const { directory } = await anAgent({ turns: ['Ready.'] })
  const [near, far] = await aConnection(directory)
  let newest = 0
  const output = new ClientOutput({
    ...{ socket: near, since: 0, told: () => newest },
    read: async (seq, limit) =>
      Array.from({ length: Math.min(limit, newest - seq) }, (_, index) => anEvent(seq + 1 + index)),
  })
  output.begin()
  await new Promise(resolve => setImmediate(resolve))
  const piece = Buffer.from(`${JSON.stringify({ type: 'delta', text })}\n`)
  for (let n = 1; n <= 100; n++) {
    newest = n
    output.tell(lineOf({ type: 'event', event: anEvent(n) }), n)
    output.tell(piece, null)
    expect(near.writableLength).toBeLessThanOrEqual(4 * MIB)
  }
  const client = new Client(far)
  const lagged = await client.first('lagged')
  await client.first('event', ({ event }) => (event as { seq: number }).seq === 100)
  expect(lagged['missed']).toBeGreaterThan(0)
  expect(client.seqs).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
})

test('a client that asks and never reads costs at most 4 MiB, and is answered once it reads', async () => {
  const { directory } = await anAgent({ turns: ['Ready.'] })
  const [near, far] = await aConnection(directory)
  const who = { id: '1', actor: 'ana', role: 'viewer' } as const
  const client = new AttachedClient({
    socket: near,
    now: () => 0,
    arrive: async arrived =>
      arrived.admit(who, { type: 'pong', n: 0 }, { since: 0, told: () => 0, read: async () => [] }),
    answer: async () => ({ type: 'bye', because: text }),
    leave: () => {},
  })
  far.write(`${JSON.stringify({ type: 'hello', protocol: 1, token: '', role: 'viewer', actor: 'ana' })}\n`)
  const asked = 2_000
  for (let n = 0; n < asked; n++) far.write(`${JSON.stringify({ type: 'ping', n })}\n`)
  let most = 0
  for (let n = 0; n < 200; n++) {
    most = Math.max(most, near.writableLength)
    await delay(1)
  }
  expect(most).toBeGreaterThan(MIB)
  expect(most).toBeLessThanOrEqual(4 * MIB)
  await client.answered()
  let read = 0
  far.on('data', (chunk: Buffer) => {
    read += chunk.length
  })
  await expect.poll(() => read).toBeGreaterThan(asked * text.length)
})

test('two writers take turns before ten viewers, one of whom never reads and one is cut: the order is one', async () => {
  const stage = await anAgent({ turns: ['Ready.', ...Array.from({ length: 8 }, (_, n) => `Answer ${n}.`)] })
  const writers = [await stage.attach({ since: 0 }), await stage.attach({ since: 0, actor: 'ben' })]
  const viewers: Client[] = []
  for (let n = 0; n < 10; n++) viewers.push(await stage.attach({ since: 0, role: 'viewer', actor: `viewer ${n}` }))
  await writers[0]?.status('idle')
  viewers[0]?.socket.pause()
  for (let n = 0; n < 8; n++) {
    const writer = writers[n % 2] as Client
    writer.send({ type: 'take_writer', input_id: `t${n}` })
    await writer.answerTo(`t${n}`)
    expect(await writer.say(`i${n}`, `message ${n}`)).toMatchObject({ outcome: 'recorded' })
    if (n === 3) viewers[1]?.socket.destroy()
  }
  await writers[0]?.first('event', ({ event }) => JSON.stringify(event).includes('Answer '))
  await expect.poll(async () => (await stage.app.store.run(stage.run_id))?.status).toBe('waiting')
  const newest = await stage.app.holdpoint.newestSeq(stage.thread_id)
  const all = Array.from({ length: newest }, (_, index) => index + 1)
  for (const client of [...writers, ...viewers.slice(2)]) {
    await client.first('event', ({ event }) => (event as { seq: number }).seq === newest)
    expect(client.seqs).toEqual(all)
  }
  await expect.poll(async () => (await stage.app.store.presences.find('task_1'))?.clients).toBe(11)
})

function anybodys(place: string): void {
  mkdirSync(place)
  chmodSync(place, 0o777)
}

function foreign(place: string): void {
  mkdirSync(place, { mode: 0o700 })
  chownSync(place, 65_534, 65_534)
}

function withForeignFloor(place: string): void {
  mkdirSync(place, { mode: 0o700 })
  foreign(join(place, 'agents'))
}

function withFileAsFloor(place: string): void {
  mkdirSync(place, { mode: 0o700 })
  writeFileSync(join(place, 'agents'), 'mine')
}

const isRoot = process.getuid?.() === 0

/** Only root gives a directory to another user. */
const FOREIGN: readonly (readonly [what: string, prepare: (place: string) => void])[] = [
  ['a directory of another user', foreign],
  ['a directory in which another user has one', withForeignFloor],
]

const PREPARED: readonly (readonly [what: string, prepare: (place: string) => void])[] = [
  ...(isRoot ? FOREIGN : []),
  ['a directory in which a file lies instead of one', withFileAsFloor],
  ['a link', place => symlinkSync('/tmp', place)],
  ['a directory that others can enter', anybodys],
  ['a file', place => writeFileSync(place, 'mine')],
]

test.each(PREPARED)(
  '%s in place of the directory of sockets is refused, named and not touched',
  async (_what, prepare) => {
    const parent = mkdirUnique()
    prepare(join(parent, 'holdpoint'))
    const stage = await anAgent({
      turns: ['Ready.'],
      runtimeDirectory: parent,
      settings: { idle_timeout_ms: 40, on_idle: 'end' },
    })
    expect(await stage.result).toMatchObject({ status: 'done' })
    expect(stage.warnings).toMatchObject([expect.stringContaining(join(parent, 'holdpoint'))])
    expect(readdirSync(parent)).toEqual(['holdpoint'])
    expect(sockets(join(parent, 'holdpoint'))).toEqual([])
  },
)

function sockets(parent: string): string[] {
  if (!lstatSync(parent).isDirectory()) return []
  return readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter(found => found.isSocket())
    .map(({ name }) => name)
}

function mkdirUnique(): string {
  const place = join('/tmp', `holdpoint-prepared-${process.pid}-${Math.random().toString(36).slice(2)}`)
  mkdirSync(place, { mode: 0o700 })
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 10 }))
  return place
}

test('files come by their bytes, or by a path below the directory of the agent, and by no other', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Seen.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  writeFileSync(join(stage.directory, 'a.png'), Buffer.from('89504e470d0a1a0a', 'hex'))
  symlinkSync('/etc/hostname', join(stage.directory, 'link.txt'))
  for (const [id, path] of [
    ['p1', '/etc/hostname'],
    ['p2', 'link.txt'],
    ['p3', 'gone.txt'],
    ['p4', '.'],
  ])
    expect(await ana.say(String(id), 'look', { files: [{ path }] })).toMatchObject({
      code: 'refused',
      reason: 'invalid_message',
    })
  expect(await ana.say('i1', 'look', { files: [{ path: 'a.png' }] })).toMatchObject({ outcome: 'recorded' })
  const journal = await stage.app.holdpoint.journal(stage.thread_id)
  expect(JSON.stringify(journal)).toContain('"media_type":"image/png"')
})
