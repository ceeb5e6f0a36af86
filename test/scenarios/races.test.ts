import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runs } from '../runs.ts'
import { historyFaults } from './history-faults.ts'
import { journalOf } from './journal.ts'
import { until } from './processes.ts'
import { aProject, effect, type Finished, type Project, runInOwnProcesses } from './project.ts'
import { snapshotOf } from './snapshot.ts'

afterAll(runInOwnProcesses())

const PRELOAD = resolve(import.meta.dirname, 'meet-at-first-write.mjs')
const START = ['-a', '--pause-on-approval', '-o', 'json', 'go']
const DEPLOY = [{ calls: [effect('tc_1', 'applied')] }, 'Done.']

/** Runs all of `commands` at once: each has read the store before any of them writes to it. Actors are p1, p2, … */
async function atOnce(project: Project, commands: readonly (readonly string[])[]): Promise<Finished[]> {
  const meeting = await mkdtemp(join(tmpdir(), 'holdpoint-meeting-'))
  try {
    const racing = commands.map((args, index) =>
      project.run(args, {
        node: ['--import', PRELOAD],
        env: { MEETING: meeting, HOLDPOINT_ACTOR: `p${index + 1}` },
      }),
    )
    await until(async () => (await readdir(meeting)).length === commands.length)
    await writeFile(join(meeting, 'go'), '')
    return await Promise.all(racing)
  } finally {
    await rm(meeting, { recursive: true, force: true, maxRetries: 10 })
  }
}

const REFUSALS = expect.stringMatching(/^(already_decided|superseded)$/)

/** P2: one process has success, and every other one is told who was first. */
function expectOneWinner(finished: readonly Finished[], round = ''): { winner: Finished; actor: string } {
  const winners = finished.filter(({ exit }) => exit === 0)
  expect(winners, `${round} ${JSON.stringify(finished.map(({ stdout }) => stdout))}`).toHaveLength(1)
  const actor = `p${finished.findIndex(({ exit }) => exit === 0) + 1}`
  for (const loser of finished.filter(({ exit }) => exit !== 0)) {
    expect(loser, round).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused', error: { code: REFUSALS } } })
    expect(loser.json.error, round).toMatchObject({ winner: { decided_by: actor, at: expect.any(String) } })
    expect(loser.json.error.message, round).toContain(actor)
  }
  return { winner: winners[0] as Finished, actor }
}

test('P2: of two processes that approve at once, one runs the call and the other is told who was first', async () => {
  await using project = await aProject({ script: DEPLOY })
  const { checkpoint_id } = (await project.run(START)).json
  await using snapshot = await snapshotOf(project)
  for (let round = 1; round <= runs(10); round += 1) {
    await snapshot.restore()
    const approve = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
    expectOneWinner(await atOnce(project, [approve, approve]), `round ${round}`)
    expect(await project.effects()).toEqual(['applied'])
  }
})

test('P2: of eight processes that approve at once, one runs the call and seven are told who was first', async () => {
  await using project = await aProject({ script: DEPLOY })
  const { checkpoint_id } = (await project.run(START)).json
  const approve = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  const { winner, actor } = expectOneWinner(
    await atOnce(
      project,
      Array.from({ length: 8 }, () => approve),
    ),
  )
  expect(await project.effects()).toEqual(['applied'])
  expect(winner.json).toMatchObject({ outcome: 'completed', final_message: 'Done.' })
  const decisions = journalOf(project).filter(({ kind }) => kind === 'hold.decided')
  expect(decisions.map(({ data }) => data.decision.decided_by)).toEqual([actor])
})

test('P2: of an approval and a rejection at once, one wins and the effect agrees with it', async () => {
  await using project = await aProject({ script: DEPLOY })
  const { checkpoint_id, session_id } = (await project.run(START)).json
  await using snapshot = await snapshotOf(project)
  const say = (verdict: string) => ['-c', checkpoint_id, `--${verdict}`, 'tc_1', '-o', 'json']
  for (let round = 1; round <= runs(30); round += 1) {
    await snapshot.restore()
    // Who is started first changes, so that both have a chance.
    const order = round % 2 === 0 ? ['approve', 'reject'] : ['reject', 'approve']
    const finished = await atOnce(project, order.map(say))
    const { winner } = expectOneWinner(finished, `round ${round}`)
    const approved = order[finished.indexOf(winner)] === 'approve'
    expect(await project.effects(), `round ${round}`).toEqual(approved ? ['applied'] : [])
    const result = (await project.messages(session_id)).find(message => message.role === 'tool')
    expect(result.is_error, `round ${round}`).toBe(!approved)
  }
})

test('P2: of two different answers to a text pause at once, the model hears one', async () => {
  await using project = await aProject({ script: ['Red or blue?', 'So be it.'] })
  const { checkpoint_id, session_id } = (await project.run(START)).json
  const { actor } = expectOneWinner(
    await atOnce(project, [
      ['-c', checkpoint_id, '-o', 'json', 'red'],
      ['-c', checkpoint_id, '-o', 'json', 'blue'],
    ]),
  )
  const messages = await project.messages(session_id)
  expect(messages.map(({ content }) => content)).toEqual([
    'go',
    'Red or blue?',
    actor === 'p1' ? 'red' : 'blue',
    'So be it.',
  ])
})

test('P2: a checkpoint that was resumed is refused afterwards, with who did it and the newer checkpoint', async () => {
  await using project = await aProject({ script: DEPLOY })
  const { checkpoint_id } = (await project.run(START)).json
  const approve = ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  const done = await project.run(approve, { env: { HOLDPOINT_ACTOR: 'ben' } })
  expect(done.exit).toBe(0)
  for (const again of [
    approve,
    ['-c', checkpoint_id, '--reject', 'tc_1', '-o', 'json'],
    ['-c', checkpoint_id, '-o', 'json'],
  ]) {
    const refused = await project.run(again)
    expect(refused).toMatchObject({
      exit: 2,
      json: {
        outcome: 'refused',
        checkpoint_id: done.json.checkpoint_id,
        error: {
          code: 'superseded',
          winner: { decided_by: 'ben', verdict: 'approve' },
          message: expect.stringContaining('ben'),
          hint: expect.stringContaining('--fork'),
        },
      },
    })
  }
  expect(await project.effects()).toEqual(['applied'])
})

test('P7: of two processes that take up a run that nobody works on, one goes on with it', async () => {
  await using project = await aProject({ script: DEPLOY, policy: { default: 'auto' } })
  const crash = {
    node: ['--import', resolve(import.meta.dirname, 'crash-at-commit.mjs')],
    env: { CRASH_AT: 'after:claim' },
  }
  expect((await project.run(['-a', '-o', 'json', 'go'], crash)).signal).toBe('SIGKILL')
  const [{ checkpoint_id, session_id }] = (await project.holdpoint('runs', '--json')).json
  const goOn = ['-c', checkpoint_id, '-o', 'json']
  const finished = await atOnce(project, [goOn, goOn])
  expect(finished.map(({ exit }) => exit).filter(exit => exit === 0)).toHaveLength(1)
  expect(finished.find(({ exit }) => exit !== 0)).toMatchObject({ exit: 2, json: { error: { code: 'busy' } } })
  expect(await project.effects()).toEqual(['applied'])
  expect(historyFaults(await project.messages(session_id))).toEqual([])
})

test('P2: of two texts that go on with a finished conversation at once, one starts the next run', async () => {
  await using project = await aProject({ script: ['Hello.', 'And again.'] })
  const { checkpoint_id, session_id } = (await project.run(['-a', '-o', 'json', 'go'])).json
  const finished = await atOnce(project, [
    ['-c', checkpoint_id, '-o', 'json', 'more'],
    ['-c', checkpoint_id, '-o', 'json', 'else'],
  ])
  expect(finished.map(({ exit }) => exit).toSorted()).toEqual([0, 2])
  expect(finished.find(({ exit }) => exit === 2)).toMatchObject({ json: { error: { code: 'superseded' } } })
  expect(await project.messages(session_id)).toHaveLength(4)
  expect((await project.holdpoint('runs', '--json')).json).toHaveLength(2)
})

test('P2: of two processes that go on with a failed run at once, one starts the next run', async () => {
  const broken = [{ calls: [effect('tc_1', 'applied')] }, { error: { message: 'out of order' } }]
  await using project = await aProject({ script: broken, policy: { default: 'auto' } })
  const failed = await project.run(['-a', '-o', 'json', 'go'])
  expect(failed).toMatchObject({ exit: 1, json: { outcome: 'failed' } })
  await project.write('script.json', JSON.stringify([broken[0], 'Done.']))
  const goOn = ['-c', failed.json.checkpoint_id, '-o', 'json']
  const finished = await atOnce(project, [goOn, goOn])
  expect(finished.map(({ exit }) => exit).toSorted()).toEqual([0, 2])
  expect(await project.effects()).toEqual(['applied'])
  expect(historyFaults(await project.messages(failed.json.session_id))).toEqual([])
})

test('two agents that are started at once in a fresh directory both work', async () => {
  for (let round = 1; round <= runs(8); round += 1) {
    await using project = await aProject({ script: DEPLOY })
    const [one, two] = await atOnce(project, [START, START])
    expect([one, two], `round ${round}`).toMatchObject([
      { exit: 10, stderr: '' },
      { exit: 10, stderr: '' },
    ])
    expect(one?.json.session_id).not.toBe(two?.json.session_id)
    expect((await project.holdpoint('runs', '--json')).json).toHaveLength(2)
    for (const { json } of [one, two] as Finished[]) {
      expect(await project.holdpoint('-c', json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')).toMatchObject({
        exit: 0,
      })
    }
    expect(await project.effects()).toEqual(['applied', 'applied'])
  }
})

test('eight agents that are started at once in a fresh directory all pause, and none of their pauses is lost', async () => {
  await using project = await aProject({ script: DEPLOY })
  const finished = await Promise.all(Array.from({ length: 8 }, () => project.run(START)))
  expect(finished.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(finished.map(() => ({ exit: 10, stderr: '' })))
  const manifests = await readdir(project.path('.holdpoint', 'session', 'pauses'))
  expect(manifests.toSorted()).toEqual(finished.map(({ json }) => `${json.run_id}.json`).toSorted())
})

test('P2: eight processes that each approve another call of eight runs at once all succeed', async () => {
  await using project = await aProject({ script: DEPLOY })
  const paused = await Promise.all(Array.from({ length: 8 }, () => project.run(START)))
  const finished = await atOnce(
    project,
    paused.map(({ json }) => ['-c', json.checkpoint_id, '--approve', 'tc_1', '-o', 'json']),
  )
  expect(finished.map(({ exit }) => exit)).toEqual(finished.map(() => 0))
  expect(await project.effects()).toHaveLength(8)
})
