/** Who acts in a simulated life: those who advance runs, decide, cancel, speak, follow. */
import type { DecisionInput, DecisionVerdict } from '../../src/core/hold/decision.ts'
import { GRANT_SCOPES, type GrantInput } from '../../src/core/hold/grant.ts'
import type { Hold } from '../../src/core/hold/hold.ts'
import { maySay } from '../../src/core/hold/objection.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import type { Store } from '../../src/ports/store/store.ts'
import type { AdvanceOptions, AdvanceResult } from '../../src/runtime/views/face-options.ts'
import { Broken } from './broken.ts'
import { answerTo } from './cast.ts'
import type { Choices } from './choices.ts'
import { isUnknownCommit } from './kind-of-store.ts'
import { assigner, bringToAnEnd, letTimePass, revoker, speak, sweeper } from './people-over-time.ts'
import type { Bystander, Plot } from './plot.ts'
import { PEOPLE } from './plot-people.ts'
import type { SimulatedProcess } from './process.ts'

export interface Company {
  readonly choices: Choices
  readonly plot: Plot
  /** As it is, for those who need no process to look. */
  readonly store: Store
  /** What was said so far, so that it can be said again. */
  readonly sayings: DecisionInput[]
  /** The last event that each follower has, by thread. */
  readonly followers: { readonly thread_id: string; seq: number; readonly stop: AbortController; lost: boolean }[]
  /** True once nothing more goes wrong and nobody starts anything new. */
  readonly isCalm: () => boolean
}

type Deed = (process: SimulatedProcess, company: Company) => Promise<void>

export async function advancer(process: SimulatedProcess, company: Company): Promise<void> {
  const { choices, store, plot } = company
  let inputs = plot.inputs
  const inputProvider = async () => {
    await process.turn('input provider')
    inputs -= 1
    return inputs < 0 ? null : { text: 'more, please' }
  }
  for (let times = 2 + choices.below(10); times > 0 && !company.isCalm(); times -= 1) {
    await process.turn('advance')
    const runs = await store.runs({})
    const run = choices.pick(runs)
    const options: AdvanceOptions = {
      ...(plot.inputs > 0 && { inputProvider }),
      ...(choices.chance(15) && { decisions: await someDecisions(process, company) }),
      ...(choices.chance(5) && { pauseOn: ['input'] }),
    }
    await untilFree(process, await process.advance(run.id, options))
  }
}

/** Whoever is told that somebody else works looks again now and again, until that lease is over. */
async function untilFree({ clock }: SimulatedProcess, result: AdvanceResult | null): Promise<void> {
  if (result?.status !== 'busy') return
  const ms = Math.max(Date.parse(result.until) - clock.now() + 1, 10_000)
  await clock.sleep(Math.min(ms, 31_000), new AbortController().signal)
}

async function someDecisions(
  { clock }: SimulatedProcess,
  { store, choices, sayings }: Company,
): Promise<DecisionInput[]> {
  const open = await store.holds({ status: 'open' })
  const said = choices.some(open, 70).map(hold => sayingOn(hold, choices, { number: sayings.length, now: clock.now() }))
  sayings.push(...said)
  return said
}

export const DEEDS: Readonly<Record<Bystander, Deed>> = {
  decider,
  second_decider: decider,
  sweeper,
  second_sweeper: sweeper,
  revoker,
  assigner,
  async canceller(process, { choices, store }) {
    for (let turns = choices.below(100); turns > 0; turns -= 1) await process.turn('canceller')
    const run = choices.pick(await store.runs({}))
    await process.holdpoint.cancel(run.id, { by: 'carl', reason: choices.pick([null, 'enough']) })
  },
  async sender(process, { choices, store }) {
    for (let messages = 1 + choices.below(3); messages > 0; messages -= 1) {
      for (let turns = choices.below(40); turns > 0; turns -= 1) await process.turn('sender')
      const { thread_id } = choices.pick(await store.runs({}))
      const whileWaiting = choices.pick(['queue', 'supersede', 'interrupt', 'reject'] as const)
      try {
        const { outcome } = await process.holdpoint.send(
          thread_id,
          { text: 'And this?', author: 'sara' },
          { whileWaiting },
        )
        process.scene.ledger.see({ is: 'noted', what: `message ${outcome}` })
      } catch (thrown) {
        process.scene.ledger.see({ is: 'thrown', by: 'send', thrown })
      }
    }
  },
  async follower(process, company) {
    const { thread_id } = company.choices.pick(await company.store.runs({}))
    const stop = new AbortController()
    const mine = { thread_id, seq: 0, stop, lost: false }
    company.followers.push(mine)
    try {
      for await (const event of process.holdpoint.follow(thread_id, { since: 0, signal: stop.signal })) {
        if ('ephemeral' in event) continue
        process.scene.ledger.see({ is: 'followed', event, before: mine.seq })
        mine.seq = event.seq
        if (company.choices.chance(30)) await process.turn('follower')
      }
    } catch (thrown) {
      mine.lost = true
      throw thrown
    }
  },
}

/** Decides what is open, once there is something; now and then what was decided before, or what nobody asked. */
async function decider(process: SimulatedProcess, company: Company): Promise<void> {
  let times = 2 + company.choices.below(8)
  for (let turns = 0; turns < MOST_TURNS && times > 0 && !company.isCalm(); turns += 1) {
    await process.turn('decider')
    const holds = await company.store.holds(company.choices.chance(80) ? { status: 'open' } : {})
    if (holds.length === 0) continue
    times -= 1
    if (company.choices.chance(20)) {
      await speak(process, company, company.choices.pick(holds))
      continue
    }
    const said = whatIsSaid(process, company, holds)
    const receipts = await untilKnown(process, () => process.holdpoint.decideMany(said))
    for (const [index, receipt] of receipts.entries())
      process.scene.ledger.see({ is: 'receipt', said: said[index] as DecisionInput, receipt })
  }
}

/** P2: where nobody knows whether it was recorded, the same is said again, and counts once. */
async function untilKnown<T>({ scene }: SimulatedProcess, say: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await say()
    } catch (thrown) {
      if (!isUnknownCommit(thrown)) throw thrown
      scene.ledger.see({ is: 'noted', what: 'decisions said again' })
    }
  }
}

const MOST_TURNS = 60

function whatIsSaid(
  { clock }: SimulatedProcess,
  { choices, sayings }: Company,
  holds: readonly Hold[],
): DecisionInput[] {
  if (sayings.length > 0 && choices.chance(15)) return [choices.pick(sayings)]
  const place = { number: sayings.length, now: clock.now() }
  const said = choices.some(holds, 60).map(hold => sayingOn(hold, choices, place))
  const unknown = choices.chance(3) ? said.slice(0, 1).map(each => ({ ...each, hold_id: 'hold_nobody' })) : []
  sayings.push(...said)
  return [...said, ...unknown]
}

const VERDICTS: readonly DecisionVerdict[] = ['approve', 'respond', 'edit', 'reject', 'cancel']

function sayingOn(hold: Hold, choices: Choices, { number, now }: { number: number; now: number }): DecisionInput {
  const possible = VERDICTS.filter(verdict => maySay(hold)[verdict] !== null)
  const verdict = choices.chance(3)
    ? choices.pick(VERDICTS)
    : choices.weighted(possible.map((each, place) => [place === 0 ? 5 : 1, each] as const))
  const n = choices.pick([1, 2, 3, 4, 5, 7])
  const grants = (verdict === 'approve' || verdict === 'edit') && hold.kind === 'approval' && choices.chance(40)
  return {
    hold_id: hold.id,
    verdict,
    ...(verdict === 'edit' && { arguments: editedTo(hold, choices.chance(10) ? 'x' : n) }),
    ...(verdict === 'respond' && { value: answerTo(hold) }),
    ...(verdict === 'reject' && { reason: choices.pick([null, 'not now']) }),
    ...(grants && { grant: chooseGrant(choices, now) }),
    decision_id: `dec_${number}_${choices.below(1_000_000)}`,
    decided_by: choices.weighted(PEOPLE.map((name, place) => [place < 4 ? 5 : 1, name] as const)),
    surface: 'test',
  }
}

function editedTo({ tool }: Hold, n: number | string): JsonObject {
  return tool === 'request_approval' ? { action: 'demanding', details: { n }, reason: 'edited' } : { n }
}

/** For the run, the thread or all of them; for a while, or one that is over already. */
function chooseGrant(choices: Choices, now: number): GrantInput {
  const seconds = choices.pick([null, 20, 60, 5, null, null, null, -1])
  const match = choices.pick([{ n: '*' }, null, { n: '2' }])
  return {
    name: 'always',
    scope: choices.pick(GRANT_SCOPES),
    ...(seconds !== null && { expires_at: new Date(now + seconds * 1_000).toISOString() }),
    ...(match && { match }),
  }
}

/** Brings every run to its end. Where that does not work, something is stuck. */
export async function finisher(process: SimulatedProcess, company: Company): Promise<void> {
  const { store, plot } = company
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const left = (await store.runs({})).filter(({ status }) => status !== 'done')
    if (left.length === 0) return
    for (const { id } of left) await untilFree(process, await process.advance(id, {}))
    if (plot.people.ends === 'by_time') await letTimePass(process, store)
    for (const hold of await store.holds({ status: 'open' })) await bringToAnEnd(process, company, hold)
  }
  throw new Broken('liveness', 'a run does not end although everything is decided and it is advanced again and again')
}

const MOST_ROUNDS = 60
