/** Who acts as time passes: those who look at the clock, take back, hand on; and what ends a life in which nobody acts. */
import type { DecisionInput } from '../../src/core/hold/decision.ts'
import type { Hold } from '../../src/core/hold/hold.ts'
import { maySay } from '../../src/core/hold/objection.ts'
import { must, shown } from './broken.ts'
import { answerTo } from './cast.ts'
import type { Company } from './people.ts'
import { PEOPLE } from './plot-people.ts'
import type { SimulatedProcess } from './process.ts'

/** Fires what is due, as a worker does. */
export async function sweeper(process: SimulatedProcess, { choices, isCalm }: Company): Promise<void> {
  for (let times = 2 + choices.below(8); times > 0 && !isCalm(); times -= 1) {
    await process.turn('sweeper')
    await sweep(process)
    const next = choices.chance(50) ? await process.holdpoint.nextDue() : null
    const ms = next === null ? choices.pick([3_000, 10_000, 500]) : Date.parse(next) - process.storeNow()
    await process.clock.sleep(Math.max(ms, 0), NEVER)
  }
}

export async function revoker(process: SimulatedProcess, { choices, store, isCalm }: Company): Promise<void> {
  for (let turns = 30 + choices.below(90); turns > 0 && !isCalm(); turns -= 1) {
    await process.turn('revoker')
    const grants = await store.grants({})
    if (grants.length === 0 || !choices.chance(20)) continue
    const { id } = choices.pick(grants)
    await process.holdpoint.grants.revoke(id, { by: 'rita', surface: 'test' })
    process.scene.ledger.see({ is: 'noted', what: 'a grant was revoked' })
  }
}

export async function assigner(process: SimulatedProcess, { choices, store }: Company): Promise<void> {
  for (let times = 1 + choices.below(4); times > 0; times -= 1) {
    for (let turns = choices.below(30); turns > 0; turns -= 1) await process.turn('assigner')
    const holds = await store.holds(choices.chance(80) ? { status: 'open' } : {})
    if (holds.length === 0) continue
    const assignee = choices.pick([null, ...PEOPLE, '@managers'])
    try {
      await process.holdpoint.assign(choices.pick(holds).id, { assignee, by: 'zoe', surface: 'test' })
    } catch (thrown) {
      process.scene.ledger.see({ is: 'thrown', by: 'assign', thrown })
    }
  }
}

/** What people say to an approval. Only the first of each is clear. */
const WORDS: readonly string[] = ['yes', 'no', 'LGTM!', '/deny not now', 'yes, but later', 'sure', 'yes?', 'no idea']

/** Says it in words, whatever is asked. */
export async function speak(process: SimulatedProcess, { choices }: Company, hold: Hold): Promise<void> {
  const text = hold.kind === 'question' && choices.chance(80) ? answerTo(hold) : choices.pick(WORDS)
  const decision_id = `word_${choices.below(1_000_000_000)}`
  const answer = { text, decided_by: choices.pick(PEOPLE), surface: 'test', decision_id }
  const receipt = await process.holdpoint.answer(hold.id, answer)
  const said: DecisionInput = { ...answer, hold_id: hold.id, verdict: 'respond' }
  process.scene.ledger.see({ is: 'noted', what: `answer ${receipt.outcome}` })
  process.scene.ledger.see({ is: 'receipt', said, receipt })
}

/** Until nothing is due any more: then no hold waits that has a deadline. */
export async function letTimePass(process: SimulatedProcess, store: Company['store']): Promise<void> {
  for (let next = await store.nextDue(); next !== null; next = await store.nextDue()) {
    await process.clock.sleep(Math.max(Date.parse(next) - process.storeNow(), 0), NEVER)
    must((await sweep(process)) > 0, 'time', () => `nothing happens at ${next}`)
  }
  const open = (await store.holds({ status: 'open' })).filter(({ due_at }) => due_at !== null)
  must(open.length === 0, 'time', () => `open, though all deadlines are over: ${shown(open)}`)
}

/** Somebody who may decides it; where nobody may, time does; where that does not either, the run is cancelled. */
export async function bringToAnEnd(process: SimulatedProcess, { store }: Company, hold: Hold): Promise<void> {
  const isOpen = async () => (await store.hold(hold.id))?.status === 'open'
  for (const decided_by of [...PEOPLE, 'fin', 'flo']) {
    if (!(await isOpen())) return
    await process.holdpoint.decide(hold.id, { ...inFavourOf(hold), decided_by, surface: 'test' })
  }
  for (const decided_by of PEOPLE) {
    if (!(await isOpen()) || maySay(hold).reject === null) break
    await process.holdpoint.decide(hold.id, { verdict: 'reject', decided_by, surface: 'test' })
  }
  if (!(await isOpen())) return
  if (hold.due_at !== null) return letTimePass(process, store)
  process.scene.ledger.see({ is: 'noted', what: 'nobody may decide' })
  await process.holdpoint.cancel(hold.run_id, { by: 'fin', reason: 'nobody may decide' })
}

function inFavourOf(hold: Hold): Pick<DecisionInput, 'verdict' | 'value'> {
  const { approve, respond } = maySay(hold)
  if (approve !== null) return { verdict: 'approve' }
  return respond === null ? { verdict: 'reject' } : { verdict: 'respond', value: answerTo(hold) }
}

async function sweep(process: SimulatedProcess): Promise<number> {
  const happened = await process.holdpoint.expireHolds()
  process.scene.ledger.see({ is: 'swept', happened })
  return happened.length
}

const NEVER = new AbortController().signal
