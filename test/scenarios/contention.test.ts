import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openHoldpoint, type Termination } from '../../src/index.ts'
import { runs } from '../runs.ts'
import { eventsIn, type Written } from './journal.ts'

const DRIVER = resolve(import.meta.dirname, 'contender.mjs')

/** A process over the same store as others. */
class Contender {
  readonly #child: ChildProcess

  constructor(child: ChildProcess) {
    this.#child = child
  }

  // biome-ignore lint/suspicious/noExplicitAny: results are checked by the tests that ask for them
  async told(): Promise<any> {
    const [{ result, failure }] = await once(this.#child, 'message')
    if (failure) throw new Error(failure)
    return result
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async act(name: string, ...args: unknown[]): Promise<any> {
    const told = this.told()
    this.#child.send([name, ...args])
    return told
  }

  async leave(): Promise<void> {
    const exit = once(this.#child, 'exit')
    await this.act('leave')
    expect(await exit).toEqual([0, null])
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

interface Arena extends AsyncDisposable {
  readonly contenders: readonly [Contender, Contender, Contender]
  readonly store: string
  journal(): Written[]
  effects(): string[]
}

async function anArena(): Promise<Arena> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-contention-'))
  const store = join(directory, 'store.db')
  const enter = async (who: string) => {
    const contender = new Contender(fork(DRIVER, [directory, who], { execPath: process.execPath, execArgv: [] }))
    expect(await contender.told()).toBe('ready')
    return contender
  }
  // One after another: who comes first makes the store.
  const contenders = [await enter('ana'), await enter('ben'), await enter('cleo')] as const
  return {
    contenders,
    store,
    journal: () => eventsIn(store),
    effects: () => linesOf(join(directory, 'effects.log')),
    [Symbol.asyncDispose]: async () => {
      for (const contender of contenders) contender.kill()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    // Nothing had an effect.
    return []
  }
}

function decisionsOn(events: readonly Written[]): Map<string, Written['data']> {
  const decided = events.filter(({ kind }) => kind === 'hold.decided')
  const byHold = new Map(decided.map(({ data }) => [data.hold_id, data.decision]))
  expect(byHold.size).toBe(decided.length)
  return byHold
}

test('P2, P3: of 100 submitters in 3 processes on one hold, one is recorded, 99 are told of it, and there is one effect', async () => {
  await using arena = await anArena()
  const [ana, ben, cleo] = arena.contenders
  const [run] = await ana.act('prepare', 'held 1', 1)
  const [hold] = run.holds
  const receipts = (
    await Promise.all([
      ana.act('submit', hold, run.id, 34),
      ben.act('submit', hold, run.id, 34),
      cleo.act('submit', hold, run.id, 32),
    ])
  ).flat()
  expect(receipts).toHaveLength(100)

  const winner = decisionsOn(arena.journal()).get(hold)
  const outcomes = Map.groupBy(receipts, ({ outcome }) => outcome)
  expect(outcomes.get('recorded')).toHaveLength(1)
  // The twin of the winner said the same under the same id.
  expect(outcomes.get('duplicate')).toHaveLength(1)
  expect(outcomes.get('already_decided')).toHaveLength(98)
  for (const receipt of receipts) expect(receipt.winner).toEqual(winner)
  expect(arena.effects()).toEqual([`${run.thread_id}/held_1`])
})

test('P2: of an approval and a rejection in two processes, exactly one wins in each of 1,000 rounds', async () => {
  await using arena = await anArena()
  const [ana, ben, cleo] = arena.contenders
  const runs = await cleo.act('prepare', 'held 100', 10)
  const holds: string[] = runs.flatMap((run: { holds: string[] }) => run.holds)
  expect(holds).toHaveLength(1_000)

  const winners = new Map<string, unknown>()
  for (const [round, hold] of holds.entries()) {
    const racers = [() => ana.act('decide', hold, 'approve'), () => ben.act('decide', hold, 'reject')]
    const told = await atOnce(racers, round)
    expect(told.map(({ outcome }) => outcome).toSorted(), `round ${round}`).toEqual(['already_decided', 'recorded'])
    expect(told[0].winner, `round ${round}`).toEqual(told[1].winner)
    winners.set(hold, told[0].winner)
  }
  expect(decisionsOn(arena.journal())).toEqual(winners)

  for (const { id } of runs) await cleo.act('finish', id)
  const approved = [...winners.values()].filter(decision => (decision as { verdict: string }).verdict === 'approve')
  expect(arena.effects()).toHaveLength(approved.length)
  expect(new Set(arena.effects()).size).toBe(approved.length)
})

test('P3, P7: two processes that advance one run at once, with decisions from a third, run each call once', async () => {
  await using arena = await anArena()
  const [ana, ben, cleo] = arena.contenders
  const rounds = runs(20)
  let busy = 0
  for (let round = 1; round <= rounds; round += 1) {
    const { id } = await ana.act('start', 'plain 3, held 3, plain 2')
    const [first, second, approvals] = await Promise.all([
      ana.act('finish', id),
      ben.act('finish', id),
      cleo.act('approveAll', id),
    ])
    busy += first + second
    expect(approvals, `round ${round}`).toEqual(['recorded', 'recorded', 'recorded'])
  }
  expect(busy).toBeGreaterThan(0)
  expect(arena.effects()).toHaveLength(rounds * 8)
  expect(new Set(arena.effects()).size).toBe(rounds * 8)
  const starts = arena.journal().filter(({ kind }) => kind === 'call.started')
  expect(starts.filter(({ data }) => data.attempt !== 1)).toEqual([])
})

test('P2, P3: of a cancel and an approval at once, the loser is told, and what the run says is what happened', async () => {
  await using arena = await anArena()
  const [ana, ben, cleo] = arena.contenders
  const raced = await cleo.act('prepare', 'held 1', runs(300))
  await using holdpoint = await openHoldpoint({ store: `sqlite:${arena.store}` })
  for (const [round, { id, thread_id, holds }] of raced.entries()) {
    const racers = [() => ana.act('approveAndAdvance', holds[0], id), () => ben.act('cancel', id)]
    const [approval, cancelled] = await atOnce(racers, round)
    // Whoever found the run busy left it to the other one.
    await cleo.act('finish', id)
    const { termination, messages } = await holdpoint.run(id)
    const effects = arena.effects().filter(line => line.startsWith(`${thread_id}/`)).length
    const result = messages.find(({ role }) => role === 'tool')?.content
    expectTruth({ round, approval, cancelled, termination, effects, result: String(result) })
  }
})

interface Ended {
  readonly round: number
  readonly approval: { readonly outcome: string; readonly code: string | null }
  readonly cancelled: string
  readonly termination: Termination | null
  readonly effects: number
  /** What the model is told of the call. */
  readonly result: string
}

function expectTruth(end: Ended): void {
  const seen = JSON.stringify(end)
  const { approval, cancelled, effects, termination, result } = end
  expect([approval.outcome, approval.code], seen).toEqual(
    approval.outcome === 'recorded'
      ? ['recorded', null]
      : ['refused', expect.stringMatching(/^(hold_withdrawn|run_done)$/)],
  )
  expect(effects, seen).toBeLessThanOrEqual(approval.outcome === 'recorded' ? 1 : 0)
  if (cancelled === 'done') expect([effects, termination?.type], seen).toEqual([1, 'natural_end'])
  else expect(termination, seen).toEqual({ type: 'cancelled', by: 'ben', reason: null })
  expect(result.includes('it did not run'), seen).toBe(effects === 0)
}

/** All hear the signal at the same time; who hears it first changes from round to round. */
async function atOnce<T>(racers: readonly (() => Promise<T>)[], round: number): Promise<T[]> {
  if (round % 2 === 0) return Promise.all(racers.map(race => race()))
  return (await Promise.all(racers.toReversed().map(race => race()))).toReversed()
}
