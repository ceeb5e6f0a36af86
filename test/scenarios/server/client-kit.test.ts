import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connectHoldpoint, RefusedError, type RemoteHoldpoint, ServerError } from '../../../src/client/index.ts'
import type { Hold, Holds } from '../../../src/index.ts'
import { openHoldpoint } from '../../../src/index.ts'
import { aProject, effect } from '../project.ts'
import { aServer, type ServerProcess, TOKEN } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

function clientOf(server: ServerProcess, token = TOKEN, send: typeof fetch = fetch): RemoteHoldpoint {
  return connectHoldpoint({ url: server.url, token, fetch: send })
}

async function openHoldOf(client: RemoteHoldpoint, run_id: string): Promise<Hold> {
  for (;;) {
    const [hold] = await client.holds({ run_id, status: 'open' })
    if (hold) return hold
    await delay(25)
  }
}

async function doneRunOf(client: RemoteHoldpoint, id: string): ReturnType<RemoteHoldpoint['run']> {
  for (;;) {
    const run = await client.run(id)
    if (run.status === 'done') return run
    await delay(25)
  }
}

test('a program starts, looks, decides and reads over a server as it does on a store', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = clientOf(server)
  expect(await client.me()).toMatchObject({ name: 'ana', role: 'admin' })

  const started = await client.start({ input: 'deploy' })
  const hold = await openHoldOf(client, started.id)
  expect(await client.holdInContext(hold.id)).toMatchObject({ may_decide: true, path: [{ run_id: started.id }] })
  await using local = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  expect(await client.hold(hold.id)).toEqual(await local.hold(hold.id))
  expect(await client.run(started.id)).toMatchObject({ status: 'waiting', answer: 'I will deploy.', steps: 1 })
  expect((await client.assign(hold.id, { assignee: 'ben' })).assignee).toBe('ben')

  const receipt = await client.decide(hold.id, { verdict: 'approve', decision_id: 'click-1', digest: hold.digest })
  expect(receipt).toMatchObject({ outcome: 'recorded', decision: { decided_by: 'ana', surface: 'http' } })
  const done = await doneRunOf(client, started.id)
  expect(done).toMatchObject({ answer: 'Deployed.', termination: { type: 'natural_end' }, exported: null })
  expect(await project.effects()).toEqual(['applied'])

  const rows = await client.runs({ about: true })
  expect(rows).toMatchObject([{ id: started.id, ended: 'natural_end', about: { run: 'deploy', thread: 'deploy' } }])
  expect((await client.messages(started.thread_id)).map(({ role }) => role)).toContain('human_response')
  expect((await client.thread(started.thread_id)).messages.at(-1)).toMatchObject({ content: 'Deployed.' })
  const [checkpoint] = await client.checkpoints(started.thread_id)
  expect(await client.runAt(checkpoint?.checkpoint_id ?? '')).toMatchObject({ id: started.id, seq: checkpoint?.seq })
  const kinds: string[] = []
  for await (const { record } of client.audit.list({ hold_id: hold.id })) kinds.push(record?.kind ?? '')
  expect(kinds).toEqual(['hold.opened', 'hold.shown', 'hold.assigned', 'hold.decided'])
  expect((await client.audit.explain(started.id)).faults).toEqual([])
  expect(await client.timeline(started.id)).toMatchObject({ run_id: started.id, termination: { type: 'natural_end' } })
  const { found, next } = await client.search({ words: 'deploy', limit: 100 })
  expect(found.map(({ kind }) => kind)).toContain('message.received')
  expect([found[0]?.path, next]).toEqual([[{ run_id: started.id, agent: 'default' }], null])
  await expect(client.search({ words: ' ' })).rejects.toMatchObject({ code: expect.any(String) })
})

test('P2: the second decision gets the winner, the same one again is a duplicate, and one that does not fit leaves the hold open', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = clientOf(server)
  const hold = await openHoldOf(client, (await client.start({ input: 'deploy' })).id)

  const unfit = await client.decide(hold.id, { verdict: 'approve', digest: 'sha256:0' })
  expect(unfit).toMatchObject({ outcome: 'refused', hold: { status: 'open' }, error: { code: 'digest_mismatch' } })
  expect('error' in unfit && unfit.error).toBeInstanceOf(RefusedError)
  const said = { verdict: 'approve', decision_id: 'click-1' } as const
  expect(await client.decide(hold.id, said)).toMatchObject({ outcome: 'recorded' })
  expect(await client.decide(hold.id, said)).toMatchObject({ outcome: 'duplicate' })
  const late = await client.decide(hold.id, { verdict: 'reject' })
  expect(late).toMatchObject({ outcome: 'already_decided', winner: { verdict: 'approve', decision_id: 'click-1' } })
  expect(await client.decideMany([{ hold_id: 'hold_x', verdict: 'approve' }])).toMatchObject([
    { outcome: 'refused', hold: null, error: { code: 'unknown_hold', hint: 'List the open holds to find it.' } },
  ])
})

test('P2: a decision whose answer is lost is sent again, and counts once', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  let lost = 0
  const client = clientOf(server, TOKEN, async (input, init) => {
    const response = await fetch(input, init)
    if (init?.method !== 'POST' || !String(input).endsWith('/decisions') || lost > 0) return response
    lost += 1
    throw new TypeError('the line is cut')
  })
  const { id } = await client.start({ input: 'deploy' })
  const hold = await openHoldOf(client, id)
  expect(await client.decide(hold.id, { verdict: 'approve' })).toMatchObject({ outcome: 'duplicate' })
  await doneRunOf(client, id)
  expect([lost, await project.effects()]).toEqual([1, ['applied']])
})

test('P2: a start whose answer is lost is sent again, and is one run', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  let lost = 0
  const client = clientOf(server, TOKEN, async (input, init) => {
    const response = await fetch(input, init)
    if (init?.method !== 'POST' || lost >= 2) return response
    lost += 1
    throw new TypeError('the line is cut')
  })
  const started = await client.start({ input: 'deploy' })
  expect([lost, (await client.runs()).map(({ id }) => id)]).toEqual([2, [started.id]])
  expect(await client.start({ input: 'deploy' })).not.toEqual(started)
})

test('a start that never gets an answer says that it may have happened, and with its id it is found', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const cut = clientOf(server, TOKEN, async (input, init) => {
    await fetch(input, init)
    throw new TypeError('the line is cut')
  })
  const failure = await cut.start({ input: 'deploy' }).catch(thrown => thrown)
  expect(failure).toBeInstanceOf(ServerError)
  expect(failure).toMatchObject({ code: 'no_answer', message: expect.stringContaining('the line is cut') })
  const client = clientOf(server)
  const again = await client.start({ input: 'deploy', startId: failure.details.key })
  expect((await client.runs()).map(({ id }) => id)).toEqual([again.id])
  const other = client.start({ input: 'destroy', startId: failure.details.key })
  await expect(other).rejects.toMatchObject({ code: 'start_id_taken', details: { run_id: again.id } })
})

test('refusals have the codes of the face, and a server that is not there is told of as such', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const client = clientOf(server)
  await expect(client.run('run_x')).rejects.toMatchObject({ name: 'RefusedError', code: 'unknown_run' })
  expect(await client.hold('hold_x')).toBe(null)
  await expect(clientOf(server, 'another-token-of-no-server').runs()).rejects.toMatchObject({ code: 'invalid_token' })
  const { json } = await project.holdpoint('tokens', 'add', 'vera', '--role', 'viewer', '--json')
  const viewer = clientOf(server, json.secret)
  await expect(viewer.start({ input: 'deploy' })).rejects.toMatchObject({ code: 'role_not_sufficient' })
  const nowhere = connectHoldpoint({ url: 'http://127.0.0.1:1', token: TOKEN, retries: 0 })
  await expect(nowhere.runs()).rejects.toMatchObject({ name: 'ServerError', code: 'server_unreachable', status: null })
  const page = connectHoldpoint({ url: server.url, token: TOKEN, fetch: async () => new Response('<html>') })
  await expect(page.runs()).rejects.toMatchObject({ code: 'server_failed', status: 200 })
  expect(await client.runs()).toEqual([])
})

test('lists come whole, or as many as are asked for, and go on behind the last one', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const client = clientOf(server)
  for (let count = 0; count < 3; count++) await client.start({ input: `deploy ${count}` })
  const all = (await client.runs()).map(({ id }) => id)
  expect(all).toHaveLength(3)
  const first = (await client.runs({ limit: 2 })).map(({ id }) => id)
  const rest = (await client.runs({ after: first.at(-1) ?? '' })).map(({ id }) => id)
  expect([...first, ...rest]).toEqual(all)
})

/** Code of a user that knows neither a store nor a server. */
async function approveAll(holdpoint: Pick<Holds, 'holds' | 'decideMany'>): Promise<readonly string[]> {
  const open = await holdpoint.holds({ status: 'open', kind: 'approval' })
  const by = { decided_by: 'ana', surface: 'code' }
  const receipts = await holdpoint.decideMany(open.map(({ id }) => ({ hold_id: id, verdict: 'approve', ...by })))
  return receipts.map(({ outcome }) => outcome)
}

test('code that asks for a role of the face takes a store and a server', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = clientOf(server)
  await openHoldOf(client, (await client.start({ input: 'deploy' })).id)
  expect(await approveAll(client)).toEqual(['recorded'])
  await using local = await openHoldpoint({ store: 'memory:' })
  expect(await approveAll(local)).toEqual([])
})

/** A line that breaks after so many bytes. */
function cutAfter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.slice(0, left))
      left -= chunk.length
      if (left < 0) controller.error(new TypeError('the line is cut'))
    },
  })
}

test('a thread that is followed over a line that breaks again and again comes whole, each event once', async () => {
  await using project = await aProject({ script, policy: { default: 'auto' } })
  await using server = await aServer(project)
  const started = await clientOf(server).start({ input: 'deploy' })
  await doneRunOf(clientOf(server), started.id)
  let lines = 0
  const client = clientOf(server, TOKEN, async (input, init) => {
    const response = await fetch(input, init)
    if (!String(input).includes('/events') || !response.body) return response
    lines += 1
    return new Response(response.body.pipeThrough(cutAfter(2_000 * lines)), response)
  })
  const seqs: number[] = []
  for await (const event of client.follow(started.thread_id, { until: 'rest' }))
    if (!('ephemeral' in event)) seqs.push(event.seq)
  await using local = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  expect(seqs).toEqual((await local.journal(started.thread_id)).map(({ seq }) => seq))
  expect(lines).toBeGreaterThan(1)
})
