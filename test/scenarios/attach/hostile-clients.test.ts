import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { PeerProof } from '../../../src/core/fleet/frames.ts'
import { anAgent, asking, Client, DEPLOYS, type Frame, type Stage } from './agent-stage.ts'

const HELLO = { type: 'hello', protocol: 1, role: 'writer', actor: 'ana' }

async function isWell(stage: Stage): Promise<void> {
  const late = await stage.attach({ actor: 'late', role: 'viewer' })
  expect(await late.first('welcome')).toMatchObject({ role: 'viewer' })
  late.send({ type: 'ping', n: 1 })
  await late.first('pong')
  late.socket.destroy()
}

test('a text that comes byte by byte is heard as it was written, and bytes that are no text end nothing', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Heard.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  const text = 'naïve 漢字 👩‍👩‍👧 \u2028 e\u0301'
  for (const byte of Buffer.from(`${JSON.stringify({ type: 'user_message', input_id: 'i1', text })}\n`)) {
    ana.socket.write(Buffer.from([byte]))
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(await ana.answerTo('i1')).toMatchObject({ outcome: 'recorded' })
  expect(JSON.stringify(await stage.app.holdpoint.journal(stage.thread_id))).toContain(
    JSON.stringify(text).slice(1, -1),
  )
  ana.socket.write(Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]), Buffer.from('\n')]))
  await ana.first('error', ({ code }) => code === 'bad_frame')
  await isWell(stage)
})

const ODD: readonly (readonly [what: string, frame: string])[] = [
  ['a second hello', JSON.stringify({ ...HELLO, token: 'x' })],
  ['a frame that is as deep as it is long', `{"type":"ping","n":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ['a field of every object', '{"type":"ping","n":1,"__proto__":{"n":2}}'],
  ['a type that every object has', '{"type":"constructor","input_id":"i1"}'],
  ['a type that is no text', '{"type":["user_message"],"input_id":"i1","text":"x"}'],
  ['a number beyond all numbers', '{"type":"ping","n":1e999}'],
  ['an id that is too long', JSON.stringify({ type: 'user_message', input_id: 'i'.repeat(201), text: 'x' })],
  ['files that are no list', '{"type":"user_message","input_id":"i1","text":"x","files":{"length":3}}'],
]

test('odd frames are refused one by one, and the same connection goes on', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  for (const [index, [what, frame]] of ODD.entries()) {
    ana.write(`${frame}\n`)
    ana.send({ type: 'ping', n: index })
    await ana.first('pong', ({ n }) => n === index)
    expect(ana.frames.filter(({ code }) => code === 'bad_frame').length, what).toBe(index + 1)
  }
  expect((await stage.app.holdpoint.journal(stage.thread_id)).some(({ kind }) => kind === 'hold.decided')).toBe(false)
})

const REFUSED: readonly (readonly [what: string, file: object])[] = [
  ['more files than fit', Array.from({ length: 21 }, () => ({ base64: 'eA==', media_type: 'text/plain' }))],
  ['no base64', [{ base64: '\u0000 not base64 at all', media_type: 'image/png' }]],
  ['bytes and a path', [{ base64: 'eA==', path: 'turns.json' }]],
  ['neither bytes nor a path', [{ name: 'a.txt' }]],
  ['a path with a NUL', [{ path: 'turns.json\u0000.png' }]],
  ['a device', [{ path: '/dev/zero' }]],
  ['a way out', [{ path: '../../../../etc/passwd' }]],
  ['a type with a line of its own', [{ base64: 'eA==', media_type: 'text/plain\r\nx: y' }]],
]

test('files that cannot be taken are refused, and nothing was said', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  for (const [index, [what, files]] of REFUSED.entries())
    expect(await ana.say(`i${index}`, 'look', { files }), what).toMatchObject({
      ...{ type: 'error', code: 'refused', reason: expect.stringMatching(/^invalid_message$|^message_too_large$/) },
    })
  expect(await stage.app.holdpoint.holds({ status: 'open', kind: 'input' })).toHaveLength(1)
  await isWell(stage)
})

test('neither a hold of another session nor the name of an agent lets a client decide', async () => {
  const stage = await anAgent({ turns: [DEPLOYS, 'Deployed.'], agent: { tools: [asking()] } })
  const { holdpoint } = stage.app
  const other = await holdpoint.start({ agent: 'support', input: 'begin' })
  await holdpoint.advance(other.id)
  const ana = await stage.attach()
  await ana.status('waiting')
  const [theirs] = await holdpoint.holds({ status: 'open', run_id: other.id })
  ana.send({ type: 'decide', input_id: 'd1', hold_id: theirs?.id, verdict: 'approve' })
  expect(await ana.answerTo('d1')).toMatchObject({ type: 'error', code: 'unknown_hold' })
  expect((await holdpoint.hold(theirs?.id ?? ''))?.status).toBe('open')
  const own = await stage.attach({ actor: `agent:support/${stage.run_id}`, role: 'viewer' })
  const [hold] = (await own.first('welcome'))['holds'] as { id: string }[]
  own.send({ type: 'decide', input_id: 'd1', hold_id: hold?.id, verdict: 'approve' })
  expect(await own.answerTo('d1')).toMatchObject({ type: 'error', code: 'refused' })
  expect((await holdpoint.hold(hold?.id ?? ''))?.status).toBe('open')
})

/** Proves itself by the word of another process, which ends when it is told to. */
const PROVE = `const [port, secret] = process.argv.slice(1)
const peer = require('node:net').connect(port, '127.0.0.1')
peer.write('holdpoint-peer ' + secret + '\\n')
peer.once('data', () => process.stdout.write('proven'))`

async function proveElsewhere({ port, secret }: PeerProof, env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROVE, String(port), secret], { env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
}

const AGENTS: Readonly<Record<string, string>> = { HOLDPOINT_WITHIN: 'agent:support/run_1' }

test.runIf(process.platform === 'linux').for([
  ['that proves nothing', null],
  ['that runs within an agent', AGENTS],
] as const)('P1: a client %s decides nothing, by whatever name it came', async ([, within]) => {
  const stage = await anAgent({ turns: [DEPLOYS, 'Deployed.'], agent: { tools: [asking()] } })
  const client = await stage.attach({}, false)
  const welcome = await client.first('welcome')
  await client.status('waiting')
  const [hold] = await stage.app.holdpoint.holds({ status: 'open' })
  if (within) await proveElsewhere(welcome['peer'] as PeerProof, within)
  client.send({ type: 'decide', input_id: 'd1', hold_id: hold?.id, verdict: 'approve' })
  expect(await client.answerTo('d1')).toMatchObject({ type: 'error', reason: 'process_not_trusted' })
  const { holdpoint } = stage.app
  expect((await holdpoint.hold(hold?.id ?? ''))?.status).toBe('open')
  await isWell(stage)
})

test.runIf(process.platform === 'linux')('P1: a proof lasts as long as the process that gave it', async () => {
  const stage = await anAgent({ turns: [DEPLOYS, 'Deployed.'], agent: { tools: [asking()] } })
  const client = await stage.attach({}, false)
  const welcome = await client.first('welcome')
  await client.status('waiting')
  const [hold] = await stage.app.holdpoint.holds({ status: 'open' })
  const { port, secret } = welcome['peer'] as PeerProof
  const peer = connect(port, '127.0.0.1')
  peer.write(`holdpoint-peer ${secret}\n`)
  await once(peer, 'data')
  peer.destroy()
  await once(peer, 'close')
  client.send({ type: 'decide', input_id: 'd1', hold_id: hold?.id, verdict: 'approve' })
  expect(await client.answerTo('d1')).toMatchObject({ reason: 'process_not_trusted' })
})

test('two clients that take the right to write from one another all the time are each answered, and one has it', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const clients = [await stage.attach(), await stage.attach({ actor: 'ben' })]
  for (const client of clients) await client.first('welcome')
  for (let n = 0; n < 150; n++) for (const client of clients) client.send({ type: 'take_writer', input_id: `t${n}` })
  for (const client of clients) expect(await client.answerTo('t149')).toMatchObject({ outcome: 'taken' })
  const [ana, ben] = clients as [Client, Client]
  const writers = async () => {
    const row = await stage.app.store.presences.find('task_1')
    const told = [ana, ben].map(client => lastStatus(client)?.['writer'])
    return new Set([row?.writer, ...told]).size
  }
  await expect.poll(writers).toBe(1)
  await isWell(stage)
})

function lastStatus({ frames }: Client): Frame | undefined {
  return frames.findLast(({ type }) => type === 'status')
}

test('four hundred connections that say nothing are turned away, and hinder none that is attached', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Heard.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  const silent = await Promise.all(Array.from({ length: 400 }, async () => new Client(await stage.socket())))
  onTestFinished(() => {
    for (const { socket } of silent) socket.destroy()
  })
  expect(await ana.say('i1', 'go on')).toMatchObject({ outcome: 'recorded' })
  await ana.first('event', ({ event }) => JSON.stringify(event).includes('Heard.'))
  await Promise.all(silent.map(client => client.closed()))
  await isWell(stage)
})

test('a hello that comes a byte at a time is too late, and one with a line of 1 MiB before it is refused', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const slow = new Client(await stage.socket())
  const hello = `${' \n'.repeat(1_000)}${JSON.stringify({ ...HELLO, token: 'x' })}`
  for (let n = 0; n < hello.length && !slow.isClosed; n += 40) {
    slow.write(hello.slice(n, n + 40))
    await delay(60)
  }
  await slow.closed()
  expect(slow.frames).toMatchObject([{ type: 'error', code: 'forbidden' }])
  const long = new Client(await stage.socket())
  long.write('x'.repeat(1024 * 1024 + 1))
  expect(await long.first('error')).toMatchObject({ code: 'too_large' })
  await long.closed()
  await isWell(stage)
})
