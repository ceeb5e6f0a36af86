/** P9: an approval is of what its approver was shown. */
import { describe, expect, test } from 'vitest'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import type { Hold } from '../../src/index.ts'
import { callDigest } from '../../src/runtime/definitions/call-digest.ts'
import { openDatabase } from '../open-database.ts'
import { aProject, effect, type Project } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, results, started, type Workplace } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const
const OTHER = `sha256:${'0'.repeat(64)}`

async function held(): Promise<Workplace> {
  return aWorkplace(place => ({
    script: [{ calls: [call('A', 'A', { amount: 5 })] }, 'Done.'],
    tools: [place.held('A')],
  }))
}

test('P9: a decision that carries the digest which was shown is recorded, and another one is refused', async () => {
  await using place = await held()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { id, digest } = await onlyHold(holdpoint)
  for (const said of [approve, { ...approve, verdict: 'edit', arguments: { amount: 6 } } as const]) {
    expect(await holdpoint.decide(id, { ...said, digest: OTHER })).toMatchObject({
      outcome: 'refused',
      error: { code: 'digest_mismatch' },
    })
  }
  expect((await onlyHold(holdpoint)).votes).toEqual([])
  expect(await holdpoint.decide(id, { ...approve, digest })).toMatchObject({
    outcome: 'recorded',
    decision: { digest },
  })
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['A'])
})

test('P9: a hold whose row was changed behind the back of its approver cannot be approved, and can be rejected', async () => {
  await using place = await held()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { id } = await onlyHold(holdpoint)
  place.inFile(file => file.exec(`UPDATE holds SET asked = json_set(asked, '$.arguments.amount', 1000)`))
  expect(await holdpoint.decide(id, approve)).toMatchObject({ outcome: 'refused', error: { code: 'altered_hold' } })
  expect(await holdpoint.decide(id, { verdict: 'reject', ...ana })).toMatchObject({ outcome: 'recorded' })
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', expect.stringContaining('TOOL_CALL_REJECTED')]])
})

test('P9: on the command line an approval of a call by its id is refused if another hold of it was shown', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'] })
  const { checkpoint_id } = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).json
  const [{ id, digest }] = (await project.holdpoint('holds', '--json')).json
  expect(await project.holdpoint('show', id)).toMatchObject({ stdout: expect.stringContaining(digest) })
  const refused = await project.holdpoint('approve', 'tc_1', '--digest', OTHER, '--json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'digest_mismatch' } } })
  expect(await project.holdpoint('approve', 'tc_1', '--digest', digest, '--json')).toMatchObject({ exit: 0 })
  expect(await project.holdpoint('-c', checkpoint_id, '-o', 'json')).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['applied'])
})

describe('P9: a resume that carries the digests which were shown', () => {
  const script = [{ calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }, 'Done.']

  async function paused(project: Project): Promise<{ resume: string[]; digests: Record<string, string> }> {
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const calls: { id: string; digest: string }[] = json.pause_reason.pending_tool_calls
    return {
      resume: ['-c', json.checkpoint_id, '-o', 'json'],
      digests: Object.fromEntries(calls.map(({ id, digest }) => [id, digest])),
    }
  }

  test('goes on if they fit', async () => {
    await using project = await aProject({ script })
    const { resume, digests } = await paused(project)
    const shown = Object.entries(digests).flatMap(([id, digest]) => ['--digest', `${id}=${digest}`])
    expect(await project.holdpoint(...resume, '--approve-all', ...shown)).toMatchObject({ exit: 0 })
    expect((await project.effects()).toSorted()).toEqual(['one', 'two'])
  })

  test.each([
    ['--approve', 'tc_1', '--approve', 'tc_2'],
    ['--approve-all'],
    ['--approve', 'tc_2', '--edit', 'tc_1={"command":"true"}'],
  ])('is refused as a whole if one differs: %s %s', async (...said) => {
    await using project = await aProject({ script })
    const { resume, digests } = await paused(project)
    const shown = ['--digest', `tc_1=${OTHER}`, '--digest', `tc_2=${digests['tc_2']}`]
    const refused = await project.holdpoint(...resume, ...said, ...shown)
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'digest_mismatch' } } })
    const holds = (await project.holdpoint('holds', '--json')).json
    expect(holds.map(({ call_id, votes }: Hold) => [call_id, votes])).toEqual([
      ['tc_1', []],
      ['tc_2', []],
    ])
    expect(await project.effects()).toEqual([])
  })

  test('may refuse a call of any digest', async () => {
    await using project = await aProject({ script })
    const { resume } = await paused(project)
    expect(await project.holdpoint(...resume, '--reject-all', '--digest', `tc_1=${OTHER}`)).toMatchObject({ exit: 0 })
    expect(await project.effects()).toEqual([])
  })

  test.each([
    [['--digest', `tc_1=${OTHER}`], 'invalid_arguments'],
    [['--approve', 'tc_1', '--digest', OTHER], 'invalid_arguments'],
    [['--approve', 'tc_1', '--digest', 'tc_1=a', '--digest', 'tc_1=b'], 'invalid_arguments'],
    [['--approve', 'tc_1', '--digest', `tc_9=${OTHER}`], 'unknown_id'],
  ])('says what is wrong with %j', async (said, code) => {
    await using project = await aProject({ script })
    const { resume } = await paused(project)
    expect(await project.holdpoint(...resume, ...said)).toMatchObject({ exit: 2, json: { error: { code } } })
  })
})

test('P9: a checkpoint is approved as its journal says that it was asked', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'] })
  const { checkpoint_id } = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).json
  using file = openDatabase(project.path('.holdpoint/holdpoint.db'))
  const { asked } = file.prepare('SELECT asked FROM holds').get() as { asked: string }
  const hold = { ...JSON.parse(asked), arguments: { command: 'echo forged >> effects.log' } }
  const call = { name: 'run_command', ...hold, schema: hold.tool_schema, preview: hold.preview.digest }
  const forged = { ...hold, digest: callDigest(systemIds, call) }
  file.prepare('UPDATE holds SET asked = ?').run(JSON.stringify(forged))
  const refused = await project.holdpoint('-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'digest_mismatch' } } })
  expect(await project.effects()).toEqual([])
})
