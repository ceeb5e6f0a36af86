import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProject, command, effect, type Project } from '../project.ts'
import { aServer, doneRun, openHold, type ServerProcess } from './server-process.ts'
import { type Frame, openStream } from './stream-client.ts'

const script: readonly object[] = [
  { text: 'I will deploy.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
]
const policy = { default: 'prompt' }

/** For streams of a run that waits, and requests that change nothing. */
let home: Project
let server: ServerProcess
let waiting: { run_id: string; thread_id: string; seq: number }
beforeAll(async () => {
  home = await aProject({ script, policy })
  server = await aServer(home)
  const run = await startedRun(server)
  await openHold(server, run.run_id)
  await using stream = await openStream(server, `/v1/threads/${run.thread_id}/events?until=rest`)
  await stream.over
  waiting = { ...run, seq: stream.frames.filter(({ id }) => id !== null).length }
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await home?.[Symbol.asyncDispose]()
})

async function startedRun(at: ServerProcess): Promise<{ run_id: string; thread_id: string }> {
  return (await at.send('/v1/threads', { body: { input: 'deploy' } })).json
}

const approve = { body: { verdict: 'approve' } }

const is = (event: string) => (frame: Frame) => frame.event === event

function idsOf(frames: readonly Frame[]): (number | null)[] {
  return frames.map(({ id }) => id).filter(id => id !== null)
}

function upTo(seq: number, since = 0): number[] {
  return Array.from({ length: seq - since }, (_, n) => since + n + 1)
}

async function addedToken(project: Project, name: string, role = 'viewer'): Promise<string> {
  return (await project.holdpoint('tokens', 'add', name, '--role', role)).stdout.trim()
}

test('P4: a stream tells a run as it happens, with its text in pieces, and ends when the run rests', async () => {
  const late = [{ ...script[0], delay_ms: 300 }, 'Deployed.']
  await using project = await aProject({ script: late, policy })
  await using server = await aServer(project)
  const { run_id, thread_id } = await startedRun(server)
  const events = `/v1/threads/${thread_id}/events`
  await using all = await openStream(server, events, { headers: { accept: 'text/event-stream' } })
  expect(Object.fromEntries(all.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  const { data } = await all.first(is('hold.opened'))
  await server.send(`/v1/holds/${data.data.hold_id}/decisions`, approve)
  await all.first(is('run.finished'))
  await using again = await openStream(server, `${events}?until=rest`)
  await again.over
  expect(again.frames.at(-1)).toEqual({ id: null, event: 'rest', data: { thread_id, run_id, status: 'done' } })
  const journal = again.frames.filter(({ id }) => id !== null)
  expect(idsOf(journal)).toEqual(upTo(journal.length))
  for (const { id, event, data } of journal) expect(data).toMatchObject({ seq: id, kind: event, thread_id })
  await all.first(({ id }) => id === journal.length)
  expect(all.frames.filter(({ id }) => id !== null)).toEqual(journal)
  const pieces = all.frames.filter(is('text.delta'))
  expect(pieces.length).toBeGreaterThan(2)
  expect(pieces[0]?.data).toMatchObject({
    kind: 'text.delta',
    ephemeral: true,
    thread_id,
    run_id,
    after: expect.any(Number),
  })
  expect(await project.effects()).toEqual(['applied'])
})

test('P8: a run that another process advances is streamed piece by piece, and changes of other processes are told', async () => {
  const slow = [{ calls: [command('tc_1', 'for n in 1 2 3; do echo step $n; sleep 0.2; done')] }, 'Done.']
  await using project = await aProject({ script: slow, policy })
  await using server = await aServer(project, '--no-work')
  await using changes = await openStream(server, '/v1/changes')
  await changes.first(is('position'))
  const { run_id, thread_id } = await startedRun(server)
  await using stream = await openStream(server, `/v1/threads/${thread_id}/events`)
  await stream.first(is('run.started'))
  await project.holdpoint('work', '--once')
  await stream.first(is('hold.opened'))
  const opened = await changes.first(is('hold.opened'))
  const { hold_id } = opened.data
  expect(opened.data).toMatchObject({ seq: opened.id, kind: 'hold.opened', thread_id, run_id })
  expect((await project.holdpoint('approve', hold_id)).exit).toBe(0)
  const decided = await changes.first(is('hold.decided'))
  expect(decided.data).toMatchObject({ hold_id, thread_id, run_id, actor: 'ana', surface: 'cli' })
  await project.holdpoint('work', '--once')
  await stream.first(is('run.finished'))
  const output = stream.frames.filter(is('tool_output.delta')).map(({ data }) => data.data.delta)
  expect(output.join('')).toContain('step 1')
  await changes.first(is('run.finished'))
  expect(JSON.stringify(changes.frames)).not.toContain('step')
  await using missed = await openStream(server, '/v1/changes', { headers: { 'last-event-id': String(opened.id) } })
  await missed.first(({ id }) => id === decided.id)
  expect(idsOf(missed.frames).slice(0, 2)).toEqual([opened.id, decided.id])
})

test('a client that comes back continues behind Last-Event-ID, which beats `since`', async () => {
  const path = `/v1/threads/${waiting.thread_id}/events?since=0`
  await using stream = await openStream(server, path, { headers: { 'last-event-id': '3' } })
  await stream.first(({ id }) => id === waiting.seq)
  expect(idsOf(stream.frames)).toEqual(upTo(waiting.seq, 3))
})

test('a client that waits for a rest and has all of it gets 204, which tells a browser not to come back', async () => {
  const events = `/v1/threads/${waiting.thread_id}/events?until=rest`
  const rested = await server.fetch(events, { headers: { 'last-event-id': String(waiting.seq) } })
  expect([rested.status, await rested.text()]).toEqual([204, ''])
})

test.each([
  ['/v1/threads/th_x/events', 404, 'unknown_session', {}],
  ['/v1/threads/:id/events?since=999', 409, 'unknown_position', {}],
  ['/v1/threads/:id/events', 409, 'unknown_position', { headers: { 'last-event-id': '999' } }],
  ['/v1/threads/:id/events', 422, 'invalid_last_event_id', { headers: { 'last-event-id': 'abc' } }],
  ['/v1/threads/:id/events?since=-1', 422, 'invalid_query', {}],
  ['/v1/threads/:id/events?until=done', 422, 'invalid_query', {}],
  ['/v1/threads/:id/events', 406, 'not_acceptable', { headers: { accept: 'application/json' } }],
  ['/v1/threads/:id/events', 405, 'method_not_allowed', { method: 'POST' }],
  ['/v1/threads/:id/events', 401, 'token_missing', { token: '' }],
  ['/v1/changes?since=99999', 409, 'unknown_position', {}],
] as const)('%s may be refused with %d %s before the stream begins', async (path, status, code, sent) => {
  const answer = await server.send(path.replace(':id', waiting.thread_id), sent)
  expect([answer.status, answer.json.code]).toEqual([status, code])
})

test('P1: a token that is revoked ends its streams with a word, and no others', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { thread_id } = await startedRun(server)
  const token = await addedToken(project, 'ben')
  const path = `/v1/threads/${thread_id}/events`
  await using bens = await openStream(server, path, { token })
  await using bensChanges = await openStream(server, '/v1/changes', { token })
  await using own = await openStream(server, path)
  await bens.first(is('hold.opened'))
  expect((await project.holdpoint('tokens', 'revoke', 'ben')).exit).toBe(0)
  await Promise.all([bens.over, bensChanges.over])
  for (const { frames } of [bens, bensChanges])
    expect(frames.at(-1)).toEqual({ id: null, event: 'bye', data: { reason: 'token_ended' } })
  expect(own.frames.some(is('bye'))).toBe(false)
  expect((await server.send(path, { token })).status).toBe(401)
})

test('one caller has 20 streams at most, and gets another one when one of them is closed', async () => {
  await using streams = new AsyncDisposableStack()
  for (let n = 0; n < 20; n += 1) streams.use(await openStream(server, '/v1/changes'))
  const refused = await server.send('/v1/changes')
  expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'too_many_streams',
    '5',
  ])
  expect((await server.send('/v1/holds')).status).toBe(200)
  const ben = await addedToken(home, 'ben')
  await (await openStream(server, '/v1/changes', { token: ben }))[Symbol.asyncDispose]()
  await streams.disposeAsync()
  await expect
    .poll(async () => {
      await using stream = await openStream(server, '/v1/changes')
      return stream.response.status
    })
    .toBe(200)
})

test('a server that is told to end says goodbye on every stream, and a client goes on at the next server', async () => {
  await using project = await aProject({ script, policy })
  await using first = await aServer(project)
  const { run_id, thread_id } = await startedRun(first)
  const path = `/v1/threads/${thread_id}/events`
  await using before = await openStream(first, path)
  const hold = await openHold(first, run_id)
  first.child.kill('SIGTERM')
  await before.over
  expect(before.frames.at(-1)).toEqual({ id: null, event: 'bye', data: { reason: 'server_ending' } })
  expect(await first.exit).toBe(0)
  await using second = await aServer(project)
  const last = idsOf(before.frames).at(-1) ?? 0
  await using after = await openStream(second, path, { headers: { 'last-event-id': String(last) } })
  await second.send(`/v1/holds/${hold.id}/decisions`, approve)
  await after.first(is('run.finished'))
  await doneRun(second, run_id)
  const ids = [...idsOf(before.frames), ...idsOf(after.frames)]
  expect(ids).toEqual(upTo(ids.length))
})
