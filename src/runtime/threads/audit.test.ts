import { expect, test } from 'vitest'
import { defineAgent } from '../../hosts/agents/define-agent.ts'
import { openHoldpoint } from '../../hosts/compose/agents/open-holdpoint.ts'
import { scriptedModel } from '../../models/scripted-model.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { defineTool } from '../../tools/define/define-tool.ts'
import type { Holdpoint } from '../face/holdpoint.ts'
import type { AuditedRecord } from './audit.ts'

const call = (id: string) => ({ id, name: 'pay', args: { to: id } })

async function aHeldRun(): Promise<{ holdpoint: Holdpoint; run_id: string; holds: string[] }> {
  const pay = defineTool({ name: 'pay', inputSchema: { type: 'object' }, execute: async () => 'paid' })
  const model = scriptedModel([{ text: '', calls: [call('a'), call('b')] }, { text: 'Done.' }])
  const agent = defineAgent({ name: 'payer', model, tools: [pay], policy: { default: 'prompt' } })
  const holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent], clock: handClock() })
  const { id: run_id } = await holdpoint.start({ agent: 'payer', input: 'Pay.' })
  await holdpoint.advance(run_id)
  return { holdpoint, run_id, holds: (await holdpoint.holds({ run_id })).map(({ id }) => id) }
}

async function recordsOf(holdpoint: Holdpoint, query = {}): Promise<AuditedRecord['record'][]> {
  const records: AuditedRecord['record'][] = []
  for await (const { record } of holdpoint.audit.list(query)) records.push(record)
  return records
}

const ana = { decided_by: 'ana', surface: 'test' } as const

test('P10: whoever decides second, or what nobody asked, is on record with why it was refused', async () => {
  const { holdpoint, run_id, holds } = await aHeldRun()
  await using _ = holdpoint
  await holdpoint.decide(holds[0]!, { verdict: 'approve', ...ana })
  await holdpoint.decide(holds[0]!, { verdict: 'reject', ...ana, decided_by: 'ben' })
  await holdpoint.decideMany([{ hold_id: 'hold_0', verdict: 'approve', ...ana }])
  const decisions = [{ hold_id: holds[1]!, verdict: 'respond', value: 'x', ...ana }] as const
  expect(await holdpoint.advance(run_id, { decisions })).toMatchObject({ status: 'refused' })
  await holdpoint.advance(run_id, { decisions: [{ hold_id: holds[0]!, verdict: 'edit', arguments: {}, ...ana }] })
  expect(await recordsOf(holdpoint, { kind: 'decision.refused' })).toMatchObject([
    { run_id, hold_id: holds[0], call_id: 'a', actor: 'ben', data: { verdict: 'reject', code: 'already_decided' } },
    { run_id: null, hold_id: 'hold_0', actor: 'ana', data: { code: 'unknown_hold' } },
    { run_id, hold_id: holds[1], data: { verdict: 'respond' } },
    { run_id, hold_id: holds[0], data: { verdict: 'edit', code: 'already_decided' } },
  ])
  expect((await holdpoint.audit.verify()).faults).toEqual([])
})

test('P10: the same decision again is no refusal', async () => {
  const { holdpoint, holds } = await aHeldRun()
  await using _ = holdpoint
  const said = { verdict: 'approve', decision_id: 'click-1', ...ana } as const
  for (let n = 0; n < 2; n += 1) await holdpoint.decide(holds[0]!, said)
  expect((await recordsOf(holdpoint, { actor: 'ana' })).map(record => record?.kind)).toEqual(['hold.decided'])
})

test('P10: who was shown which holds, and whether in full, is on record', async () => {
  const { holdpoint, run_id, holds } = await aHeldRun()
  await using _ = holdpoint
  await holdpoint.audit.shown(['hold_0', ...holds], { to: 'ana', surface: 'web', inFull: false })
  expect(await recordsOf(holdpoint, { kind: 'hold.shown' })).toMatchObject(
    holds.map(hold_id => ({ hold_id, run_id, actor: 'ana', surface: 'web', data: { in_full: false } })),
  )
})

test('P1: a run is explained, also in a fork, where what ran before did not run again', async () => {
  const { holdpoint, run_id, holds } = await aHeldRun()
  await using _ = holdpoint
  await holdpoint.decideMany(holds.map(hold_id => ({ hold_id, verdict: 'approve', ...ana })))
  await holdpoint.advance(run_id)
  const explained = await holdpoint.audit.explain(run_id)
  const effects = explained.calls.flatMap(each => each.effects)
  expect(effects.map(({ released, copied }) => [released?.by, copied])).toEqual([
    ['decision', false],
    ['decision', false],
  ])
  const before = await recordsOf(holdpoint)
  const [end] = (await holdpoint.checkpoints(explained.thread_id)).toReversed()
  const fork = await holdpoint.fork(end?.checkpoint_id ?? '')
  const forked = await holdpoint.audit.explain(fork.run_id)
  expect(forked.calls.flatMap(each => each.effects).map(({ copied }) => copied)).toEqual([true, true])
  expect(forked.faults).toEqual([])
  expect(await recordsOf(holdpoint)).toEqual(before)
  expect((await holdpoint.audit.verify()).faults).toEqual([])
  await expect(holdpoint.audit.explain('run_0')).rejects.toMatchObject({ code: 'unknown_run' })
})

test('a log is listed page by page, whatever its length', async () => {
  const { holdpoint, holds } = await aHeldRun()
  await using _ = holdpoint
  const shown = Array.from({ length: 1_200 }, () => holds[0]!)
  await holdpoint.audit.shown(shown, { to: 'ana', surface: 'web', inFull: true })
  expect((await recordsOf(holdpoint)).map(record => record?.seq)).toEqual(
    Array.from({ length: 1_203 }, (_, n) => n + 1),
  )
  expect(await recordsOf(holdpoint, { limit: 700, after: 10, actor: 'ana' })).toHaveLength(700)
})
