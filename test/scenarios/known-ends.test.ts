/** P3, P11: what is known of a call that began is told: to whoever decides about it, and about the same call later. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Holdpoint } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { until } from './processes.ts'
import { aProject, command, ended, type Project } from './project.ts'
import { aServer } from './server/server-process.ts'
import { begunCalls, effectsOf, quickTools, startWorker } from './slow-worker.ts'
import { advanced, ana, aWorkplace, call, gated, onlyHold, results, started } from './workplace.ts'

const START = ['-a', '--pause-on', 'approval', '-o', 'json']
const PAY = 'echo paid >> effects.log; echo $$ > pid; [ ! -e slow ] || sleep 300'
const SAME = [{ calls: [command('tc_1', PAY)] }, { calls: [command('tc_2', PAY)] }, 'Done.']

/** How the card of `tc_2` tells of `tc_1`: in the document of the pause, in the list, to a reader, and over REST. */
async function toldOfTheFirst(project: Project, text: RegExp): Promise<unknown> {
  const [hold] = (await project.holdpoint('holds', '--json')).json
  expect(hold.call_id).toBe('tc_2')
  const shown = (await project.holdpoint('show', hold.id)).stdout.replaceAll(/\s+/g, ' ')
  expect(shown).toMatch(text)
  await using server = await aServer(project, '--no-work')
  expect((await server.send(`/v1/holds/${hold.id}`)).json.called_before).toEqual(hold.called_before)
  return hold.called_before
}

test('P11: the card of a call with the same tool and arguments says that an earlier one succeeded', async () => {
  await using project = await aProject({ script: SAME })
  const first = await project.holdpoint(...START, 'go')
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  const before = [{ ended: 'succeeded', times: 1, call_id: 'tc_1', code: null, at: expect.any(String) }]
  expect(second.json.pause_reason.pending_tool_calls).toMatchObject([{ id: 'tc_2', called_before: before }])
  expect(await toldOfTheFirst(project, /This very call succeeded at 20\S+ \(tc_1\)\./)).toEqual(before)
})

/** `tc_1` was begun, its process was told to stop, and people were asked what came of it. */
async function stoppedInTheMiddle(project: Project): Promise<{ checkpoint: string; session: string; run: string }> {
  await project.write('slow', '')
  const { checkpoint_id, session_id: session, run_id: run } = (await project.holdpoint(...START, 'go')).json
  const child = project.start(['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json'])
  const finished = ended(child)
  await until(async () => project.exists('pid') && (await project.read('pid')).endsWith('\n'))
  child.kill('SIGTERM')
  expect(await finished).toMatchObject({ exit: 143, json: { outcome: 'interrupted' } })
  const doubt = await project.holdpoint('-c', checkpoint_id, '-o', 'json')
  expect(doubt).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ in_doubt: true }] } } })
  expect((await project.holdpoint('show', 'tc_1', '--json')).json.message).toContain('was told to stop while it ran')
  return { checkpoint: doubt.json.checkpoint_id, session, run }
}

test('P11: it says that an earlier one failed, if a person said so of one that SIGTERM stopped', async () => {
  await using project = await aProject({ script: SAME })
  const { checkpoint } = await stoppedInTheMiddle(project)
  const next = await project.holdpoint('-c', checkpoint, '--reject', 'tc_1', '--reason', 'not paid', '-o', 'json')
  expect(next).toMatchObject({ exit: 10 })
  const text = /This very call failed at 20\S+ with TOOL_CALL_FAILED \(tc_1\)\./
  expect(await toldOfTheFirst(project, text)).toMatchObject([{ ended: 'failed', code: 'TOOL_CALL_FAILED' }])
})

test('P11: it says that an earlier one may have had its effect, if its run ended while nobody knew', async () => {
  await using project = await aProject({ script: [SAME[0], SAME[1], 'Done.'] })
  const { session, run } = await stoppedInTheMiddle(project)
  expect(await project.holdpoint('cancel', run)).toMatchObject({ exit: 0 })
  const told = (await project.messages(session)).find(({ role }) => role === 'tool')
  expect(told?.content).toMatch(
    /OUTCOME_UNKNOWN.*may have had its effect|had started before, so it may have had its effect/,
  )
  expect(await project.holdpoint(...START, '-c', session, 'again')).toMatchObject({ exit: 10 })
  const text = /This very call was stopped, and may have had its effect, at 20\S+ \(tc_1\)\./
  expect(await toldOfTheFirst(project, text)).toMatchObject([{ ended: 'unknown', call_id: 'tc_1' }])
})

test('P3: a call whose owner on this machine lives is told so, and is not run again before that has ended', async () => {
  const script = [{ calls: [call('A', 'slow')] }, 'Done.']
  await using place = await aWorkplace(it => ({ script, tools: quickTools(it) }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script, deaf: true })
  await begunCalls(place, 1)
  worker.child.kill('SIGTERM')
  await until(async () => (await holdpoint.runs()).every(({ lease }) => lease === null))
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  const hold = await onlyHold(holdpoint)
  const lives = expect.stringMatching(new RegExp(`still lives \\(process ${worker.child.pid} on `))
  expect(hold).toMatchObject({ kind: 'in_doubt', still_running: { standing: 'running', text: lives } })
  const refused = { outcome: 'refused', error: { code: 'still_running' } }
  expect(await holdpoint.decide(hold.id, { verdict: 'approve', ...ana })).toMatchObject(refused)
  const stop = holdpoint.stopStarted(hold.id, { by: 'ana', surface: 'test' })
  await expect(stop).rejects.toMatchObject({ code: 'cannot_be_stopped' })
  const waiting = holdpoint.waitForStarted(hold.id)
  await writeFile(join(place.directory, 'go'), '')
  expect(await waiting).toMatchObject({ still_running: { standing: 'ended' } })
  await worker.finished
  await holdpoint.decide(hold.id, { verdict: 'approve', ...ana })
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', 'slow done']])
  expect(effectsOf(place)).toEqual([expect.stringMatching(/^begun slow A/), 'ended slow A'])
  expect(place.effects).toEqual(['slow'])
})

test('P3: the same within one process: a tool that hears no stop is not run again beside itself', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const deaf = gated(place, 'deaf', { deaf: true })
  const opening = { script: [{ calls: [call('A', 'deaf')] }, 'Done.'], tools: [deaf.tool], open: { clock } }
  await using one = await place.open(opening)
  await using two = await place.open(opening)
  const run = await started(one)
  await letGoOf(one, run.id, { clock, deaf })
  await advanced(two, run.id)
  const hold = await onlyHold(two)
  expect(hold.still_running).toMatchObject({ standing: 'running' })
  expect(await two.waitForStarted(hold.id, { timeoutMs: 0 })).toMatchObject({ still_running: { standing: 'running' } })
  deaf.finish()
  await delay(1)
  expect((await two.hold(hold.id))?.still_running).toMatchObject({ standing: 'ended' })
  await two.decide(hold.id, { verdict: 'approve', ...ana })
  expect(results(await advanced(two, run.id))).toEqual([['A', 'deaf done']])
  expect(place.effects).toEqual(['deaf', 'deaf'])
})

interface Deaf {
  readonly clock: ReturnType<typeof handClock>
  readonly deaf: ReturnType<typeof gated>
}

/** The tool runs on, although its run was let go of. */
async function letGoOf(holdpoint: Holdpoint, runId: string, { clock, deaf }: Deaf): Promise<void> {
  const stop = new AbortController()
  const advancing = holdpoint.advance(runId, { signal: stop.signal })
  await deaf.begun
  stop.abort()
  await until(() => deaf.aborted && clock.sleeping > 0)
  clock.advance(10_000)
  await advancing
}
