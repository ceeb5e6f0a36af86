/** P2: of two that say the same about one pause, one gets the outcome, however close they come. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openHoldpoint } from '../../src/index.ts'
import { until } from './processes.ts'
import { aProject, effect, type Finished, type Project } from './project.ts'

const PRELOAD = resolve(import.meta.dirname, 'meet-at-first-write.mjs')

const approve = ['--approve', 'tc_1']
const FIRST = { calls: [effect('tc_1', 'applied')] }

interface Case {
  readonly script: readonly unknown[]
  readonly flags: readonly string[]
  /** The decision that is on record before either begins. */
  readonly said: { readonly verdict: 'approve' | 'respond'; readonly value?: string }
  /** The exit of the one that goes on. */
  readonly exit: number
}

const CASES: Readonly<Record<string, Case>> = {
  'an approval, and the run ends': { script: [FIRST, 'Done.'], flags: approve, said: { verdict: 'approve' }, exit: 0 },
  'an approval, and the run pauses again': {
    script: [FIRST, { calls: [effect('tc_2', 'again')] }, 'Done.'],
    flags: approve,
    said: { verdict: 'approve' },
    exit: 10,
  },
  'an answer in words': {
    script: ['Red or blue?', 'So be it.'],
    flags: ['red'],
    said: { verdict: 'respond', value: 'red' },
    exit: 0,
  },
  'an acceptance of the text': { script: ['Fine?'], flags: ['--finish'], said: { verdict: 'approve' }, exit: 0 },
}

/** The decision is on record, and no process goes on with the run yet. */
async function decided({ script, said }: Case): Promise<{ project: Project; checkpoint: string }> {
  const project = await aProject({ script })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  const [hold] = await holdpoint.holds({ status: 'open' })
  await holdpoint.decide(hold?.id ?? '', { ...said, decided_by: 'ana', surface: 'test' })
  return { project, checkpoint: json.checkpoint_id }
}

/** The first has read the store, and writes to it only once the second is done. */
async function overtaken(project: Project, args: string[], actor: string): Promise<readonly [Finished, Finished]> {
  const meeting = await mkdtemp(join(tmpdir(), 'holdpoint-meeting-'))
  try {
    const env = { MEETING: meeting, HOLDPOINT_ACTOR: actor }
    const first = project.run(args, { node: ['--import', PRELOAD], env })
    await until(async () => (await readdir(meeting)).length === 1)
    const second = await project.run(args)
    await writeFile(join(meeting, 'go'), '')
    return [await first, second]
  } finally {
    await rm(meeting, { recursive: true, force: true, maxRetries: 10 })
  }
}

for (const [what, each] of Object.entries(CASES)) {
  test.for(['ana', 'ben'])(`P2: ${what}: the twin of %s that comes too late is told so`, async actor => {
    const { project, checkpoint } = await decided(each)
    await using _ = project
    const [late, winner] = await overtaken(project, ['-c', checkpoint, ...each.flags, '-o', 'json'], actor)
    expect(winner).toMatchObject({ exit: each.exit })
    expect(late).toMatchObject({
      exit: 2,
      stderr: '',
      json: { outcome: 'refused', error: { code: 'superseded', winner: { decided_by: 'ana' } } },
    })
    expect(late.json.checkpoint_id).toBe(winner.json.checkpoint_id)
    expect(await project.effects()).toEqual(each.flags === approve ? ['applied'] : [])
  })
}

test('P7: of two that go on with a run that stopped, the one that comes too late is told so', async () => {
  await using project = await aProject({ script: [FIRST, 'Done.'], policy: { default: 'auto' } })
  const crash = {
    node: ['--import', resolve(import.meta.dirname, 'crash-at-commit.mjs')],
    env: { CRASH_AT: 'after:claim' },
  }
  expect((await project.run(['-o', 'json', 'go'], crash)).signal).toBe('SIGKILL')
  const [{ checkpoint_id }] = (await project.holdpoint('runs', '--json')).json
  const [late, winner] = await overtaken(project, ['-c', checkpoint_id, '-o', 'json'], 'ana')
  expect(winner).toMatchObject({ exit: 0 })
  expect(late).toMatchObject({ exit: 2, json: { error: { code: 'superseded' } } })
  expect(await project.effects()).toEqual(['applied'])
})
