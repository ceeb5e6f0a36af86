import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openHoldpoint } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { payingAgent } from './house.ts'

const ana = { decided_by: 'ana', surface: 'test' } as const

async function aHouse(env: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-graph-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const [file, effects] = [join(directory, 'holdpoint.db'), join(directory, 'effects')]
  const agent = payingAgent({ effects, idempotent: env['IDEMPOTENT'] === '1' })
  const holdpoint = await openHoldpoint({ store: `sqlite:${file}`, agents: [agent] })
  onTestFinished(() => holdpoint[Symbol.asyncDispose]())
  /** What another process prints; `null` if it was killed. */
  const elsewhere = async (where: string, ...verb: string[]) => {
    const argv = ['test/langgraph/graph-process.ts', file, effects, where, ...verb]
    const child = spawn(process.execPath, argv, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise<NodeJS.Signals | null>(done => child.on('close', (_, signal) => done(signal)))
    const printed = await text(child.stdout)
    return (await ended) === 'SIGKILL' ? null : JSON.parse(printed)
  }
  const waiting = async () => {
    const [hold, ...others] = await holdpoint.holds({ status: 'open' })
    if (!hold || others.length > 0) throw new TypeError(`${others.length + (hold ? 1 : 0)} holds are open`)
    return hold
  }
  /** A run whose payment waits for approval. */
  const reviewed = async () => {
    const run = await holdpoint.start({ agent: 'clerk', input: 'Pay the invoice' })
    await holdpoint.advance(run.id)
    for (const { id, choices } of await holdpoint.holds({ status: 'open' }))
      await holdpoint.decide(id, { verdict: 'respond', value: choices ? '20' : 'giro', ...ana })
    expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
    return { run, review: await waiting() }
  }
  const paid = async () => (await readFile(effects, 'utf8').catch(() => '')).split('\n').length - 1
  return { holdpoint, elsewhere, waiting, reviewed, paid }
}

test('P3: killed between the effect of a node and its checkpoint, a person is asked before it runs again', async () => {
  const { holdpoint, elsewhere, waiting, reviewed, paid } = await aHouse()
  const { run, review } = await reviewed()
  await holdpoint.decide(review.id, { verdict: 'approve', ...ana })
  expect(await elsewhere('pay', 'advance', run.id)).toBeNull()
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  const doubt = await waiting()
  expect(doubt).toMatchObject({ kind: 'in_doubt', tool: 'run_graph' })
  expect(await paid()).toBe(1)
  await holdpoint.decide(doubt.id, { verdict: 'approve', ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Paid 20.' })
  expect(await paid()).toBe(2)
})

test('P3: killed between the end of the graph and the journal, what ran does not run again', async () => {
  const { holdpoint, elsewhere, waiting, reviewed, paid } = await aHouse()
  const { run, review } = await reviewed()
  await holdpoint.decide(review.id, { verdict: 'approve', ...ana })
  expect(await elsewhere('end', 'advance', run.id)).toBeNull()
  await holdpoint.advance(run.id)
  await holdpoint.decide((await waiting()).id, { verdict: 'approve', ...ana })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Paid 20.' })
  expect(await paid()).toBe(1)
})

test('a graph that says it may run twice goes on by itself, with the decision that it was given', async () => {
  const { holdpoint, elsewhere, reviewed, paid } = await aHouse({ IDEMPOTENT: '1' })
  const { run, review } = await reviewed()
  await holdpoint.decide(review.id, { verdict: 'approve', ...ana })
  expect(await elsewhere('pay', 'advance', run.id)).toBeNull()
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Paid 20.' })
  expect(await paid()).toBe(2)
})

test('P2: of two processes that approve and go on at once, one decides, and the graph pays once', async () => {
  const { holdpoint, elsewhere, reviewed, paid } = await aHouse()
  const { run, review } = await reviewed()
  const outcomes = await Promise.all([1, 2].map(() => elsewhere('nowhere', 'approve', review.id)))
  expect(outcomes.toSorted()).toEqual(['already_decided', 'recorded'])
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done', answer: 'Paid 20.' })
  expect(await paid()).toBe(1)
})
