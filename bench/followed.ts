import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, type Holdpoint, openHoldpoint } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import type { Row } from './table.ts'

const COUNTS = [1, 100, 1_000] as const
const COMMITS = 100
/** Longer than a follower rests between two looks: each commit is looked at on its own. */
const PAUSE_MS = 40

/** A process that follows threads, while another one writes to one of them. */
export async function measureFollowed(directory: string): Promise<Row[]> {
  const path = join(directory, 'followed.db')
  const agents = [defineAgent({ name: 'tester', model: scriptedModel([]) })]
  await using holdpoint = await openHoldpoint({ store: `sqlite:${path}`, agents })
  for (let n = 0; n < Math.max(...COUNTS); n += 1) await holdpoint.start({ agent: 'tester', input: 'go' })
  const rows: Row[] = []
  for (const count of COUNTS) rows.push(await measure(holdpoint, path, count))
  return rows
}

async function measure(holdpoint: Holdpoint, path: string, count: number): Promise<Row> {
  const child = fork(join(import.meta.dirname, 'follow-threads.ts'), [path, String(count)])
  await once(child, 'message')
  const [run] = await holdpoint.runs({ limit: 1 })
  for (let n = 0; n < COMMITS; n += 1) {
    await holdpoint.send(run?.thread_id ?? '', { text: 'more' }, { whileWaiting: 'queue' })
    await delay(PAUSE_MS)
  }
  child.send('enough')
  const [{ cpuMs, told }] = await once(child, 'message')
  await once(child, 'exit')
  return { 'followed threads': count, 'CPU ms/commit': cpuMs / COMMITS, 'events told': told }
}
