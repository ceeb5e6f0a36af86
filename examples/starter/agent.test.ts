import assert from 'node:assert/strict'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { defineAgent, openHoldpoint } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { options } from './agent.ts'

/** The agent in a directory of its own, once it waits for a person. */
async function waiting() {
  const directory = await mkdtemp(join(tmpdir(), 'starter-'))
  const file = join(directory, 'prices.json')
  await writeFile(file, '{ "tea": 3 }')
  const model = scriptedModel([{ calls: [{ name: 'change_price', args: { product: 'tea', by: 0.5 } }] }, 'Done.'])
  const agent = defineAgent({ ...options, model })
  const holdpoint = await openHoldpoint({ store: 'memory:', directory, agents: [agent] })
  const run = await holdpoint.start({ agent: agent.name, input: 'Raise the price of tea by 0.50' })
  assert.equal((await holdpoint.advance(run.id)).status, 'waiting')
  const [hold] = await holdpoint.holds({ run_id: run.id, status: 'open' })
  assert.ok(hold)
  return { holdpoint, run, hold, prices: async () => JSON.parse(await readFile(file, 'utf8')) }
}

test('a price changes only after a person approves', async () => {
  const { holdpoint, run, hold, prices } = await waiting()
  await using _ = holdpoint
  assert.deepEqual(await prices(), { tea: 3 })
  await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'code' })
  assert.equal((await holdpoint.advance(run.id)).status, 'done')
  assert.deepEqual(await prices(), { tea: 3.5 })
})

test('a rejected price stays as it was', async () => {
  const { holdpoint, run, hold, prices } = await waiting()
  await using _ = holdpoint
  await holdpoint.decide(hold.id, { verdict: 'reject', decided_by: 'ana', surface: 'code', reason: 'Not this week.' })
  await holdpoint.advance(run.id)
  assert.deepEqual(await prices(), { tea: 3 })
})
