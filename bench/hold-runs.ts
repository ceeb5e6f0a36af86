/**
 * A process of its own: starts runs that wait, in the store of its first argument, as many as its second says, and tells
 * what memory it takes. Started by `waiting.ts`.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { openHoldpoint } from 'holdpoint'
import { APPROVAL, held, startWaiting } from './held-agent.ts'

/** Runs that are started and finished first, in every such process: code is compiled, caches are full. */
const WARM_UP = 1_200

const [path = '', count = '0'] = process.argv.slice(2)
await using holdpoint = await openHoldpoint({ store: `sqlite:${path}`, agents: [held] })
for (let round = 0; round < WARM_UP; round += 1) {
  const { id, holds } = await startWaiting(holdpoint, 'held')
  await holdpoint.advance(id, { decisions: [{ hold_id: holds[0]?.id ?? '', ...APPROVAL }] })
  await turn()
}
for (let round = 1; round <= Number(count); round += 1) {
  await startWaiting(holdpoint, 'held')
  // As a host that hears of its runs by IO: what is weakly held is let go between two turns of the event loop only.
  await turn()
  // What is kept counts, not what is waiting to be collected.
  if (round % 1_000 === 0) globalThis.gc?.()
}
let { rss, heapUsed } = process.memoryUsage()
for (let shrinks = true; shrinks; ) {
  const before = heapUsed
  globalThis.gc?.()
  await delay(100)
  globalThis.gc?.()
  ;({ rss, heapUsed } = process.memoryUsage())
  shrinks = heapUsed < before * 0.99
}
console.log(JSON.stringify({ rss, heapUsed }))
