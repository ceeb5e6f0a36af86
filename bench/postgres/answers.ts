import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DBOSClient } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import { AnsweredWorker } from '../answered-worker.ts'
import { both, type Row } from '../table.ts'
import { Child, now } from './child.ts'
import { DbosProcess } from './dbos-process.ts'

const ROUNDS = 200
const WARM_UP = 10
/** Long enough for a process to fall asleep. */
const QUIET_MS = 40

/** From a decision of this process to the first line of the tool in another one; beside what engines alone take. */
export async function answerRows(url: string, directory: string): Promise<Row[]> {
  const worker = await answered(url, directory, 'plain')
  const engine = await answered(url, directory, 'graphile', '--engine', 'graphile')
  return [
    ...both('decision on A to tool on B, ms', worker, '50'),
    ...both('the same with --engine graphile, ms', engine, '50'),
    ...both('graphile-worker alone: job added to handler, ms', await graphileAlone(url), ''),
    ...both('DBOS alone: message to its workflow, ms', await dbosAlone(url), ''),
  ]
}

async function answered(url: string, directory: string, name: string, ...flags: string[]): Promise<number[]> {
  const store = `${url}?schema=bench_${name}`
  await using worker = await AnsweredWorker.open({ directory: join(directory, `answers-${name}`), store, flags })
  return (await worker.times(ROUNDS + WARM_UP, () => worker.answer())).slice(WARM_UP)
}

async function graphileAlone(url: string): Promise<number[]> {
  const schema = 'bench_graphile_alone'
  await using child = await Child.start('graphile-child.ts', url, schema)
  const client = new pg.Client(url)
  await client.connect()
  const all = await rounds(async () => {
    const start = now()
    await client.query(`SELECT ${schema}.add_job('go', '{}')`)
    return Number(await child.next()) - start
  })
  await client.end()
  return all
}

async function dbosAlone(url: string): Promise<number[]> {
  await using dbos = await DbosProcess.start(url)
  const client = await DBOSClient.create({ systemDatabaseUrl: url })
  const all = await rounds(async n => {
    await dbos.wait(n)
    await delay(QUIET_MS)
    const start = now()
    await client.send(`wait-${n}`, 'yes', 'go')
    return (await dbos.wentOn()) - start
  })
  await client.destroy()
  return all
}

async function rounds(measure: (n: number) => Promise<number>): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < ROUNDS + WARM_UP; n += 1) {
    await delay(QUIET_MS)
    all.push(await measure(n))
  }
  return all.slice(WARM_UP)
}
