import { expect, test } from 'vitest'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { anAgent, asking, Client, DEPLOYS, type Frame } from './agent-stage.ts'

test('one attaches to an agent that is idle, says something, and sees the turn with its text', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'It is done.'] })
  const ana = await stage.attach({ since: 0 })
  const welcome = await ana.first('welcome')
  expect(welcome).toMatchObject({
    agent: { id: 'task_1', name: 'docs', run_id: stage.run_id, thread_id: stage.thread_id },
    ...{ protocol: 1, role: 'writer', writer: 'ana', clients: 1, queued: [] },
  })
  await ana.status('idle')
  const ack = await ana.say('i1', 'now do X')
  expect(ack).toMatchObject({ outcome: 'recorded', seq: expect.any(Number), position: 0 })
  await ana.first('event', ({ event }) => JSON.stringify(event).includes('It is done.'))
  const told = ana.frames.filter(({ type }) => type === 'status').map(frame => JSON.stringify(frame))
  expect(told.every((status, index) => status !== told[index - 1])).toBe(true)
  const said = (await stage.app.holdpoint.journal(stage.thread_id)).find(({ seq }) => seq === ack['seq'])
  expect(said?.data).toMatchObject({ decision: { decided_by: 'ana', input_id: 'i1' } })
  const { seqs } = ana
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
})

test('P2: open holds are in the welcome, a viewer decides, and each that is attached sees the agent go on', async () => {
  const ran: string[] = []
  const stage = await anAgent({ turns: [DEPLOYS, 'Deployed.'], agent: { tools: [asking(ran)] } })
  const [writer, viewer] = [await stage.attach(), await stage.attach({ role: 'viewer', actor: 'ben' })]
  await writer.status('waiting')
  const late = await stage.attach({ role: 'viewer', actor: 'cleo' })
  const [hold] = (await late.first('welcome'))['holds'] as { id: string; digest: string; arguments: object }[]
  expect(hold).toMatchObject({ tool: 'deploy', arguments: { to: 'http' } })
  viewer.send({
    ...{ type: 'decide', input_id: 'd1', hold_id: hold?.id, verdict: 'approve' },
    seen: { digest: hold?.digest, level: 0 },
  })
  expect(await viewer.answerTo('d1')).toMatchObject({ type: 'ack', outcome: 'recorded' })
  for (const client of [writer, viewer, late]) await client.event('hold.decided')
  await writer.first('event', ({ event }) => JSON.stringify(event).includes('Deployed.'))
  expect(ran).toEqual(['http'])
  writer.send({ type: 'decide', input_id: 'd2', hold_id: hold?.id, verdict: 'reject' })
  expect(await writer.answerTo('d2')).toMatchObject({ outcome: 'already_decided', winner: { decided_by: 'ben' } })
})

test('a decision about another digest than the hold has is refused, and the connection stays', async () => {
  const stage = await anAgent({ turns: [DEPLOYS, 'Deployed.'], agent: { tools: [asking()] } })
  const ana = await stage.attach()
  await ana.status('waiting')
  const [hold] = await stage.app.holdpoint.holds({ status: 'open' })
  ana.send({
    type: 'decide',
    input_id: 'd1',
    hold_id: hold?.id,
    verdict: 'approve',
    seen: { digest: 'sha256:of-another' },
  })
  expect(await ana.answerTo('d1')).toMatchObject({ type: 'error', code: 'refused', reason: 'digest_mismatch' })
  ana.send({ type: 'decide', input_id: 'd2', hold_id: 'hold_of_another', verdict: 'approve' })
  expect(await ana.answerTo('d2')).toMatchObject({ type: 'error', code: 'unknown_hold' })
  ana.send({ type: 'ping', n: 7 })
  await ana.first('pong', ({ n }) => n === 7)
})

test('P2: two clients count their decisions alike, and the ack of each names the event of its own', async () => {
  const calls = ['a', 'b'].map(to => ({ id: `tc_${to}`, name: 'deploy', args: { to } }))
  const stage = await anAgent({ turns: [{ calls }, 'Deployed.', 'Heard.'], agent: { tools: [asking()] } })
  const [ana, ben] = [await stage.attach(), await stage.attach({ actor: 'ben' })]
  await ana.status('waiting')
  await ben.first('welcome')
  const holds = await stage.app.holdpoint.holds({ status: 'open' })
  const acks: Frame[] = []
  for (const [index, client] of [ana, ben].entries()) {
    client.send({ type: 'decide', input_id: '1', hold_id: holds[index]?.id, verdict: 'approve' })
    acks.push(await client.answerTo('1'))
  }
  const journal = await stage.app.holdpoint.journal(stage.thread_id)
  const decided = journal.filter(({ kind }) => kind === 'hold.decided')
  expect(acks.map(({ outcome, seq }) => [outcome, seq])).toEqual(decided.map(({ seq }) => ['recorded', seq]))
  ben.frames.length = 0
  ben.send({ type: 'decide', input_id: '1', hold_id: holds[1]?.id, verdict: 'approve' })
  expect(await ben.answerTo('1')).toMatchObject({ outcome: 'duplicate', seq: decided[1]?.seq })
  ana.frames.length = 0
  expect(await ana.say('1', 'and more')).toMatchObject({ outcome: 'recorded' })
})

test('P2: one id is one message, over three connections and other doors', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Once.'] })
  const clients = [await stage.attach(), await stage.attach({ actor: 'ana' }), await stage.attach({ actor: 'ana' })]
  await clients[0]?.status('idle')
  const acks: string[] = []
  for (let n = 0; n < 48; n++) {
    const client = clients[n % 3] as Client
    const id = `take-${n}`
    client.send({ type: 'take_writer', input_id: id })
    await client.answerTo(id)
    client.frames.length = 0
    acks.push(String((await client.say('i1', 'the same'))['outcome']))
  }
  const sent = await Promise.all(
    [1, 2].map(() =>
      stage.app.holdpoint.send(
        stage.thread_id,
        { text: 'the same', author: 'ana', inputId: 'i1' },
        { whileWaiting: 'queue' },
      ),
    ),
  )
  expect([...acks, ...sent.map(({ outcome }) => outcome)].toSorted()).toEqual([
    ...Array.from({ length: 49 }, () => 'duplicate'),
    'recorded',
  ])
})

test('one client writes at a time, all others are told who, and a take-over is on record', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Yes.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  const ben = await stage.attach({ actor: 'ben' })
  expect(await ben.first('welcome')).toMatchObject({ role: 'viewer', writer: 'ana' })
  expect(await ben.say('i1', 'hello')).toMatchObject({ type: 'error', code: 'not_writer' })
  ben.send({ type: 'take_writer', input_id: 't1' })
  expect(await ben.answerTo('t1')).toMatchObject({ outcome: 'taken', writer: 'ben' })
  await ana.first('status', ({ writer, role }) => writer === 'ben' && role === 'viewer')
  ben.send({ type: 'take_writer', input_id: 't2' })
  expect(await ben.answerTo('t2')).toMatchObject({ outcome: 'taken', writer: 'ben' })
  expect(await ben.say('i2', 'hello')).toMatchObject({ type: 'ack', outcome: 'recorded' })
  const listed = await Array.fromAsync(stage.app.holdpoint.audit.list({ kind: 'writer.taken' }))
  const records = listed.map(({ record }) => record)
  expect(records).toMatchObject([{ actor: 'ben', data: { task_id: 'task_1', from: 'ana' } }])
})

test('a writer that is cut frees the right to write, and ends nothing', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Yes.'] })
  const [ana, ben] = [await stage.attach(), await stage.attach({ actor: 'ben' })]
  await ana.status('idle')
  await ben.first('welcome')
  ana.socket.destroy()
  await ben.first('status', ({ writer }) => writer === null)
  expect(await ben.say('i1', 'hello')).toMatchObject({ outcome: 'recorded' })
  expect((await stage.app.store.run(stage.run_id))?.status).not.toBe('done')
})

test('an agent whose clients left while a message waited is idle once it has heard that message', async () => {
  const turn = Promise.withResolvers<string>()
  const work = defineTool({ name: 'work', inputSchema: { type: 'object' }, execute: () => turn.promise })
  const turns = ['Ready.', { calls: [{ id: 'tc_1', name: 'work' }] }, 'Heard.']
  const stage = await anAgent({ turns, agent: { tools: [work], policy: { default: 'auto' } } })
  const [ana, ben] = [await stage.attach(), await stage.attach({ role: 'viewer', actor: 'ben' })]
  await ana.status('idle')
  await ana.say('i1', 'first')
  await ana.event('call.started')
  await ana.say('i2', 'second')
  ben.send({ type: 'take_writer', input_id: 't1' })
  await ben.first('status', ({ queued }) => queued === 1)
  for (const client of [ana, ben]) {
    client.socket.end()
    await client.closed()
  }
  turn.resolve('worked')
  const { agents } = stage.app.holdpoint
  await expect.poll(() => agents.find('docs')).toMatchObject({ status: 'idle', queued: 0, clients: 0 })
  expect((await agents.find('docs')).last_message).toMatchObject({ line: 'Heard.' })
})

test('a client that closes its side ends nothing, and no later client is hindered', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  ana.socket.end()
  await ana.closed()
  const again = await stage.attach()
  expect(await again.first('welcome')).toMatchObject({ clients: 1, status: 'idle', writer: 'ana' })
})

test('to end accepts the text, and every client is told why it is over', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  ana.send({ type: 'EndInput', input_id: 'e1' })
  expect(await ana.answerTo('e1')).toMatchObject({ outcome: 'recorded' })
  await ana.event('run.finished')
  expect(await ana.first('bye')).toMatchObject({ because: 'its run is over' })
  expect(await stage.result).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(await stage.app.store.presences.find('task_1')).toBeNull()
})

test('a message that interrupts stops the turn under way, and is heard next', async () => {
  const stage = await anAgent({ turns: [{ text: 'Slow.', delay_ms: 600_000 }, 'Heard.'] })
  const ana = await stage.attach({ since: 0 })
  await ana.event('checkpoint.named')
  expect(await ana.say('i1', 'stop that', { mode: 'interrupt' })).toMatchObject({ outcome: 'recorded' })
  await ana.event('message.delivered')
})

test.each([
  ['a wrong token', { token: 'wrong' }, 'forbidden'],
  ['another version', { protocol: 99 }, 'unsupported_protocol'],
  ['a position beyond the end', { since: 9_999 }, 'unknown_position'],
  ['a field that no hello has', { verbose: true }, 'bad_frame'],
])('a client with %s is told, and turned away', async (_what, hello, code) => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const client = await stage.attach(hello)
  expect(await client.first('error')).toMatchObject({ code })
  await client.closed()
  expect((await stage.app.store.presences.find('task_1'))?.clients).toBe(0)
})

test('bad frames are answered, and the connection survives them all', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const ana = await stage.attach()
  await ana.status('idle')
  ana.write('no json\n{"type":"explode"}\n[]\n{"type":"user_message","input_id":"i9"}\n{"type":"ping","n":1}\n')
  await ana.first('pong')
  const errors = ana.frames.filter(({ type }) => type === 'error')
  expect(errors.map(({ code, input_id }) => [code, input_id])).toEqual([
    ...Array.from({ length: 3 }, () => ['bad_frame', undefined]),
    ['bad_frame', 'i9'],
  ])
})

test.each([
  ['before it is whole', ''],
  ['also if it is whole', '\n'],
])('a line of more than 1 MiB is refused %s, and ends that connection alone', async (_when, last) => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const [ana, ben] = [await stage.attach(), await stage.attach({ actor: 'ben' })]
  await ben.first('welcome')
  ana.write(`${'x'.repeat(1024 * 1024 + 1)}${last}`)
  expect(await ana.first('error')).toMatchObject({ code: 'too_large' })
  await ana.closed()
  ben.send({ type: 'ping', n: 1 })
  await ben.first('pong')
})

test('a client that never says hello is turned away', async () => {
  const stage = await anAgent({ turns: ['Ready.'] })
  const silent = new Client(await stage.socket())
  expect(await silent.first('error')).toMatchObject({ code: 'forbidden' })
  await silent.closed()
})
