import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from '@langchain/langgraph'
import { type Holdpoint, openHoldpoint, openStore } from 'holdpoint'
import { HoldpointSaver } from 'holdpoint/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import { type HouseOptions, payingAgent, payingGraph } from './house.ts'

const ana = { decided_by: 'ana', surface: 'test' } as const

async function aHouse(options: Partial<HouseOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-graph-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const effects = join(directory, 'effects')
  const store = await openStore('memory:', { clock: { now: Date.now }, directory })
  const holdpoint = await openHoldpoint({ store, agents: [payingAgent({ effects, ...options })] })
  onTestFinished(async () => {
    await holdpoint[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })
  return {
    holdpoint,
    store,
    graph: payingGraph({ effects })(new HoldpointSaver(store.graphs)),
    effects: async () => (await readFile(effects, 'utf8').catch(() => '')).split('\n').filter(line => line !== ''),
  }
}

/** A run whose two questions wait. */
async function asked(holdpoint: Holdpoint) {
  const run = await holdpoint.start({ agent: 'clerk', input: 'Pay the invoice' })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  const [one, two, ...others] = await holdpoint.holds({ status: 'open' })
  if (!one || !two || others.length > 0) throw new TypeError('the graph did not ask two questions')
  const [account, amount] = one.message.includes('account') ? [one, two] : [two, one]
  return { run, account, amount }
}

async function answered(holdpoint: Holdpoint) {
  const { run, account, amount } = await asked(holdpoint)
  await holdpoint.decide(account.id, { verdict: 'respond', value: 'giro', ...ana })
  await holdpoint.decide(amount.id, { verdict: 'respond', value: '20', ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  const [review] = await holdpoint.holds({ status: 'open' })
  if (!review) throw new TypeError('the graph asks for no approval')
  return { run, review }
}

test('interrupts side by side are holds of their own, and the graph goes on when all are answered', async () => {
  const { holdpoint, effects } = await aHouse()
  const { run, account, amount } = await asked(holdpoint)
  expect([account.kind, amount.kind]).toEqual(['question', 'question'])
  expect(amount).toMatchObject({ message: 'How much?', choices: ['10', '20'] })
  await holdpoint.decide(account.id, { verdict: 'respond', value: 'giro', ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  expect((await holdpoint.holds({ status: 'open' })).map(({ id }) => id)).toEqual([amount.id])
  await holdpoint.decide(amount.id, { verdict: 'respond', value: '20', ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  const [review] = await holdpoint.holds({ status: 'open' })
  expect(review).toMatchObject({ kind: 'approval', tool: 'review_action' })
  expect(await effects()).toEqual([])
})

test('P2: of many decisions one is given to the graph, and its effect happens once', async () => {
  const { holdpoint, effects } = await aHouse()
  const { run, review } = await answered(holdpoint)
  const receipts = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      holdpoint.decide(review.id, { verdict: 'approve', ...ana, decided_by: `p${n}` }),
    ),
  )
  expect(receipts.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1)
  await Promise.all([holdpoint.advance(run.id), holdpoint.advance(run.id), holdpoint.advance(run.id)])
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Paid 20.' })
  expect(await effects()).toEqual(['paid 20 from giro'])
})

test('P9: what a person changed is what the graph gets', async () => {
  const { holdpoint, effects } = await aHouse()
  const { run, review } = await answered(holdpoint)
  const args = { action: 'pay', args: { account: 'giro', amount: '15' }, description: 'Pays the invoice' }
  await holdpoint.decide(review.id, { verdict: 'edit', arguments: args, ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Paid 15.' })
  expect(await effects()).toEqual(['paid 15 from giro'])
})

test('P1: a rejection reaches the graph as one, with its reason', async () => {
  const { holdpoint, effects } = await aHouse()
  const { run, review } = await answered(holdpoint)
  await holdpoint.decide(review.id, { verdict: 'reject', reason: 'paid last week', ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Not paid: paid last week' })
  expect(await effects()).toEqual([])
})

test('P1: a question that is declined resumes nothing, and a message begins anew', async () => {
  const { holdpoint, effects } = await aHouse()
  const { run, account, amount } = await asked(holdpoint)
  await holdpoint.decide(account.id, { verdict: 'respond', value: 'giro', ...ana })
  await holdpoint.decide(amount.id, { verdict: 'reject', reason: 'not mine', ...ana })
  const ended = await holdpoint.advance(run.id)
  expect(ended).toMatchObject({ status: 'done', termination: { type: 'error' } })
  const next = await holdpoint.send(run.thread_id, { text: 'Then ask again' })
  expect(await holdpoint.advance(next.run_id)).toMatchObject({ status: 'waiting' })
  expect(await holdpoint.holds({ status: 'open' })).toHaveLength(2)
  expect(await effects()).toEqual([])
})

test('a decision for an interrupt that waits no more is not given to the graph', async () => {
  const { holdpoint, graph, effects } = await aHouse()
  const { run, review } = await answered(holdpoint)
  const config = { configurable: { thread_id: run.thread_id } }
  await graph.invoke(new Command({ resume: { decisions: [{ type: 'reject', message: 'elsewhere' }] } }), config)
  await holdpoint.decide(review.id, { verdict: 'approve', ...ana })
  const ended = await holdpoint.advance(run.id)
  expect(ended).toMatchObject({ status: 'done', termination: { type: 'error' } })
  expect(JSON.stringify(ended)).toContain('GRAPH_MOVED_ON')
  expect(await effects()).toEqual([])
})

test('a message after the end is the next input of the same graph', async () => {
  const { holdpoint, graph } = await aHouse()
  const { run, review } = await answered(holdpoint)
  await holdpoint.decide(review.id, { verdict: 'approve', ...ana })
  await holdpoint.advance(run.id)
  const next = await holdpoint.send(run.thread_id, { text: 'Once more' })
  expect(await holdpoint.advance(next.run_id)).toMatchObject({ status: 'waiting' })
  const { values } = await graph.getState({ configurable: { thread_id: run.thread_id } })
  expect((values as { messages: { content: string }[] }).messages.map(({ content }) => content)).toEqual([
    'Pay the invoice',
    'Paid 20.',
    'Once more',
  ])
})

test('what is pruned takes the state of its graph along', async () => {
  const { holdpoint, store } = await aHouse()
  const { run, review } = await answered(holdpoint)
  expect(await store.graphs.heads({ thread_id: run.thread_id, limit: 1 })).toHaveLength(1)
  await holdpoint.decide(review.id, { verdict: 'approve', ...ana })
  await holdpoint.advance(run.id)
  await store.prune({ before: new Date(Date.now() + 60_000).toISOString(), dry_run: false, by: 'ana', surface: 'test' })
  expect(await store.graphs.heads({ thread_id: run.thread_id, limit: 1 })).toEqual([])
})
