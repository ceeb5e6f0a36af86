import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type DecisionInput, openHoldpoint } from '../../src/index.ts'
import { until } from './processes.ts'
import { aProject, command, effect, ended, type Project } from './project.ts'

const batch = [{ text: 'Two things.', calls: [effect('t1', 'one'), effect('t2', 'two')] }, 'Done.']
const single = [{ calls: [effect('t1', 'one')] }, 'Done.']

/** Ben decides through the library, and leaves the run to others. */
async function benSays(
  project: Project,
  callId: string,
  said: Omit<DecisionInput, 'hold_id' | 'decided_by' | 'surface'>,
): Promise<void> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  const hold = (await holdpoint.holds({ status: 'open' })).find(({ call_id }) => call_id === callId)
  if (!hold) throw new Error(`${callId} is not held`)
  const receipt = await holdpoint.decide(hold.id, { ...said, decided_by: 'ben', surface: 'test' })
  expect(receipt.outcome).toBe('recorded')
}

async function paused(script: readonly unknown[]) {
  const project = await aProject({ script })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  return {
    project,
    checkpoint: json.checkpoint_id as string,
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

const bens: readonly [title: string, said: Parameters<typeof benSays>[2], flags: string[]][] = [
  [
    'an edit, where an edit to something else was first',
    { verdict: 'edit', arguments: { command: 'echo ben >> effects.log' } },
    ['--edit', 't1={"command":"echo ana >> effects.log"}'],
  ],
  [
    'an edit, where a rejection was first',
    { verdict: 'reject' },
    ['--edit', 't1={"command":"echo ana >> effects.log"}'],
  ],
  ['a rejection, where an approval was first', { verdict: 'approve' }, ['--reject', 't1']],
  ['an approval of all, where a rejection was first', { verdict: 'reject' }, ['--approve-all']],
  ['--finish, where an approval was first', { verdict: 'approve' }, ['--finish']],
  ['a text, where an approval was first', { verdict: 'approve' }, ['go on']],
]

test.for(bens)('P2: %s, is told who was first, and nothing runs for it', async ([, said, flags]) => {
  await using it = await paused(single)
  await benSays(it.project, 't1', said)
  const late = await it.project.holdpoint('-c', it.checkpoint, ...flags, '-o', 'json')
  expect(late).toMatchObject({ exit: 2, json: { error: { code: 'already_decided', winner: { decided_by: 'ben' } } } })
  expect(await it.project.effects()).toEqual([])
})

test('P2: who says what was said already goes on with the run', async () => {
  await using it = await paused(single)
  await benSays(it.project, 't1', { verdict: 'approve' })
  expect(await it.project.holdpoint('-c', it.checkpoint, '--approve', 't1', '-o', 'json')).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one'])
})

test('a batch of which somebody decided a part tells that part, and waits for the rest', async () => {
  await using it = await paused(batch)
  await benSays(it.project, 't1', { verdict: 'reject', reason: 'no' })
  const shown = await it.project.holdpoint('-c', it.checkpoint, '-o', 'json')
  expect(shown).toMatchObject({
    exit: 10,
    json: {
      pause_reason: {
        pending_tool_calls: [
          { id: 't1', requires_approval: false, hold_id: null, decided: { verdict: 'reject', decided_by: 'ben' } },
          { id: 't2', requires_approval: true },
        ],
      },
    },
  })
  const late = await it.project.holdpoint('-c', shown.json.checkpoint_id, '--approve', 't1', '-o', 'json')
  expect(late).toMatchObject({ exit: 2, json: { error: { code: 'already_decided' } } })
  const done = await it.project.holdpoint('-c', shown.json.checkpoint_id, '--approve', 't2', '-o', 'json')
  expect(done.exit).toBe(0)
  expect(await it.project.effects()).toEqual(['two'])
})

test('P1: a resume can gate more, never less', async () => {
  const script = [{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'two')] }, 'Done.']
  await using it = await paused(script)
  const next = await it.project.holdpoint('-c', it.checkpoint, '--approve', 't1', '--pause-on', 'input', '-o', 'json')
  expect(next).toMatchObject({ exit: 10, json: { pause_reason: { type: 'tool_approval_required' } } })
  expect(await it.project.effects()).toEqual(['one'])
})

test('P4: a store that ends with the process is refused where the run may pause', async () => {
  await using project = await aProject({ script: single })
  const refused = await project.holdpoint('--store', 'memory:', '--pause-on-approval', '-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'store_forgets' } } })
  expect(await project.holdpoint('--store', 'memory:', '-o', 'json', 'go')).toMatchObject({ exit: 0 })
})

test('the manifest of a pause that ends elsewhere is taken back', async () => {
  await using it = await paused(single)
  await using elsewhere = await aProject()
  const store = `sqlite:${it.project.path('.holdpoint/holdpoint.db')}`
  const done = await elsewhere.holdpoint('-c', it.checkpoint, '--store', store, '--approve', 't1', '-o', 'json')
  expect(done.exit).toBe(0)
  expect(it.project.exists('.holdpoint/session/pause.json')).toBe(false)
  expect(elsewhere.exists('.holdpoint/session/pause.json')).toBe(false)
  expect(await it.project.effects()).toEqual(['one'])
})

test('a pause that could not be resolved keeps its manifest', async () => {
  await using it = await paused(single)
  await it.project.holdpoint('-c', it.checkpoint, '--approve', 'no_such_call')
  expect(it.project.exists('.holdpoint/session/pause.json')).toBe(true)
})

test('P2: who says the same while the first one still runs the call is told who was first', async () => {
  await using it = await paused([{ calls: [command('t1', 'echo one >> effects.log; read line < go')] }, 'Done.'])
  await promisify(execFile)('mkfifo', [it.project.path('go')])
  const approve = ['-c', it.checkpoint, '--approve', 't1', '-o', 'json']
  const first = ended(it.project.start(approve))
  await until(async () => (await it.project.effects()).length === 1)
  const late = await it.project.holdpoint(...approve)
  expect(late).toMatchObject({ exit: 2, json: { error: { code: 'already_decided', winner: { decided_by: 'ana' } } } })
  await it.project.write('go', 'on\n')
  expect(await first).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one'])
})
