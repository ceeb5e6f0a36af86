import { type Clock, type Holdpoint, openHoldpoint } from 'holdpoint'
import { APPROVAL, held } from './held-agent.ts'
import { percentile, type Row } from './table.ts'
import { COUNTS, waitingStore } from './waiting.ts'

const ROUNDS = 200
const DAY_MS = 86_400_000

type Act = (holdpoint: Holdpoint, holdId: string) => Promise<unknown>

const ACTS: readonly [what: string, act: Act][] = [
  ['show one', (holdpoint, id) => holdpoint.hold(id)],
  ['when is the next due?', holdpoint => holdpoint.nextDue()],
  ['fire what is due: nothing', holdpoint => holdpoint.expireHolds()],
  ['decide one', (holdpoint, id) => holdpoint.decide(id, APPROVAL)],
]

/** What people and time do to a store in which much is open. What is left at the end is all due at once. */
export async function measureOpenHolds(directory: string): Promise<Row[]> {
  const store = `sqlite:${waitingStore(directory, Math.max(...COUNTS))}`
  const rows: Row[] = []
  await using holdpoint = await openHoldpoint({ store, agents: [held] })
  const open = await holdpoint.holds({ status: 'open', limit: ROUNDS })
  if (open.length < ROUNDS) throw new Error('(i) needs the runs that (e) leaves waiting: measure all parts')
  for (const [what, act] of ACTS) {
    const times: number[] = []
    for (const { id } of open) times.push(await timeOf(() => act(holdpoint, id)))
    rows.push({ what, times: ROUNDS, 'p50 ms': percentile(times, 0.5), 'p99 ms': percentile(times, 0.99) })
  }
  rows.push(await expireAll(store))
  return rows
}

async function expireAll(store: string): Promise<Row> {
  const clock: Clock = {
    now: () => Date.now() + 2 * DAY_MS,
    steady: () => performance.now(),
    sleep: async () => {},
  }
  await using holdpoint = await openHoldpoint({ store, agents: [held], clock })
  const before = await holdpoint.holds({ status: 'open' })
  const total = await timeOf(() => holdpoint.expireHolds())
  const after = await holdpoint.holds({ status: 'open' })
  if (after.length > 0) throw new Error(`${after.length} holds did not expire`)
  const each = total / before.length
  return { what: 'expire all that is open', times: before.length, 'p50 ms': each, 'p99 ms': '' }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
