/**
 * A process of its own: follows the first threads of the store of its first argument, as many as its second says, and tells
 * the CPU that it takes while its parent writes. Started by `followed.ts`.
 */
import { once } from 'node:events'
import { openHoldpoint } from 'holdpoint'

const [path = '', count = '0'] = process.argv.slice(2)
const holdpoint = await openHoldpoint({ store: `sqlite:${path}` })
const stop = new AbortController()
let told = 0

async function follow(threadId: string): Promise<void> {
  for await (const _event of holdpoint.follow(threadId, { signal: stop.signal })) told += 1
}

const runs = await holdpoint.runs()
const following = runs.slice(0, Number(count)).map(({ thread_id }) => follow(thread_id))
while (told < Number(count)) await new Promise(resolve => setTimeout(resolve, 10))
const before = { told, cpu: process.cpuUsage() }
process.send?.('ready')
await once(process, 'message')
const { user, system } = process.cpuUsage(before.cpu)
process.send?.({ cpuMs: (user + system) / 1000, told: told - before.told })
stop.abort()
await Promise.all(following)
await holdpoint[Symbol.asyncDispose]()
process.disconnect()
