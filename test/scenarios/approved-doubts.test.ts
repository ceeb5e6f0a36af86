/** P3, P8: who approves a call in doubt has said that it runs again, so it is not asked about a second time. */
import { expect, test } from 'vitest'
import { aProject, command, type Project } from './project.ts'
import { aServer } from './server/server-process.ts'

/** Kills the agent that runs it, once there is a file `deadly`, and only the first time. */
const DEADLY = 'echo applied >> effects.log; if [ -e deadly ]; then rm deadly; kill -9 $PPID; fi'
const GO = ['-a', '-o', 'json', 'go']
const PROMPT = JSON.stringify({ default: 'prompt' })

const twoRuns = [{ calls: [command('tc_1', DEADLY)] }, 'Done.', { calls: [command('tc_2', DEADLY)] }, 'Done.']

async function killed(project: Project, ...words: string[]): Promise<void> {
  await project.write('deadly', '')
  expect((await project.holdpoint(...words)).signal).toBe('SIGKILL')
}

/** A call that passed unasked, whose run pauses for approvals by now, and whose policy would ask. */
type Way = readonly [name: string, verdict: string, passed: (project: Project) => Promise<readonly string[]>]

const WAYS: readonly Way[] = [
  ['in a run that did not pause for approvals', 'prompt', async () => ['--pause-on-approval']],
  [
    'under a policy that let it pass',
    'auto',
    async project => {
      await project.write('ask.json', PROMPT)
      return ['--pause-on-approval', '--policy', 'ask.json']
    },
  ],
]

async function inDoubt(project: Project, flags: readonly string[]): Promise<{ checkpoint: string; hold: string }> {
  const [run] = (await project.holdpoint('runs', '--json')).json
  const asked = await project.holdpoint('-c', run.run_id, ...flags, '-o', 'json')
  const [call] = asked.json.pause_reason.pending_tool_calls
  expect(call).toMatchObject({ in_doubt: true })
  await project.holdpoint('holds', 'wait', call.hold_id)
  return { checkpoint: asked.json.checkpoint_id, hold: call.hold_id }
}

test.each(WAYS)(
  'P3: the approval of a call in doubt that passed %s is not asked for twice',
  async (_, verdict, passed) => {
    await using project = await aProject({ script: twoRuns, policy: { default: verdict } })
    await killed(project, ...GO)
    const { checkpoint } = await inDoubt(project, await passed(project))
    const done = await project.holdpoint('-c', checkpoint, '--approve', 'tc_1', '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect(await project.effects()).toEqual(['applied', 'applied'])
  },
)

/** A call that a standing grant let pass, which was revoked since. */
async function grantedOnce(): Promise<Project> {
  const project = await aProject({ script: twoRuns, policy: { default: 'prompt' } })
  const paused = await project.holdpoint('-a', '--pause-on', 'approval', '-o', 'json', 'go')
  const always = ['--always', 'one', '--scope', 'project', '--advance']
  expect(await project.holdpoint('approve', 'tc_1', ...always)).toMatchObject({ exit: 0 })
  await killed(project, '-a', '-o', 'json', '-c', paused.json.session_id, 'again')
  const [grant] = (await project.holdpoint('grants', '--json')).json
  expect(await project.holdpoint('grants', 'revoke', grant.id)).toMatchObject({ exit: 0 })
  return project
}

const DOORS: readonly (readonly [name: string, approve: (project: Project, hold: string) => Promise<void>])[] = [
  ['approve --advance', async (project, hold) => void (await project.holdpoint('approve', hold, '--advance'))],
  [
    'REST',
    async (project, hold) => {
      await using server = await aServer(project, '--no-work')
      const said = await server.send(`/v1/holds/${hold}/decisions`, { body: { verdict: 'approve' } })
      expect(said.status).toBe(200)
      await project.holdpoint('work', '--once')
    },
  ],
]

test.each(DOORS)(
  'P8: approved by %s, a call in doubt whose grant was revoked runs again unasked',
  async (_, approve) => {
    await using project = await grantedOnce()
    const { hold } = await inDoubt(project, [])
    await approve(project, hold)
    expect((await project.holdpoint('holds', '--json')).json).toEqual([])
    expect(await project.effects()).toEqual(['applied', 'applied', 'applied'])
  },
)

test('P1: a call in doubt to which policy says never by now is not released by the approval of its doubt', async () => {
  await using project = await aProject({ script: twoRuns, policy: { default: 'auto' } })
  await killed(project, ...GO)
  await project.write('never.json', JSON.stringify({ default: 'never', on_never: 'pause' }))
  const { checkpoint } = await inDoubt(project, ['--pause-on-approval', '--policy', 'never.json'])
  const asked = await project.holdpoint('-c', checkpoint, '--approve', 'tc_1', '-o', 'json')
  expect(asked).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ overrides_never: true }] } } })
  expect(await project.effects()).toEqual(['applied'])
})
