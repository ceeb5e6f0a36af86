/**
 * A process of its own: so many writers side by side, each with its thread or its connection, for some seconds. It tells how
 * many commits they made. Started by `writers.ts`.
 */
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { BareRows } from './bare.ts'

const BYTES = 700
const SECONDS = 3

interface Writer extends AsyncDisposable {
  commit(): Promise<void>
}

const [url = '', kind = '', name = '', count = '1'] = process.argv.slice(2)

async function ourWriters(): Promise<Writer[]> {
  const store = await openPostgresStore(`${url}?schema=bench_writers`)
  return Promise.all(Array.from({ length: Number(count) }, (_, n) => ourWriter(store, `${name}_${n}`)))
}

async function ourWriter(store: Awaited<ReturnType<typeof openPostgresStore>>, id: string): Promise<Writer> {
  const run_id = `run_${id}`
  const note = {
    kind: 'message.queued',
    run_id,
    data: { content: 'x'.repeat(BYTES), author: null, forced_by: null },
  } as never
  await store.start({
    run: { id: run_id, agent: 'bench', hold_scope: 'call' },
    thread_id: `th_${id}`,
    after: 0,
    events: [note],
    status: 'running',
    checkpoint_id: null,
  })
  const claimed = await store.claim({ run_id, owner: id, ttl_ms: 60_000 })
  if (claimed?.outcome !== 'claimed') throw new Error('the run is not free')
  let seq = 1
  return {
    commit: async () => {
      await store.append(claimed.lease, seq, { events: [note] })
      seq += 1
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

const bareWriters = () => Promise.all(Array.from({ length: Number(count) }, () => BareRows.open(url, BYTES)))

async function commitsOf(writer: Writer, until: number): Promise<number> {
  let commits = 0
  for (; performance.now() < until; commits += 1) await writer.commit()
  return commits
}

const writers = kind === 'bare' ? await bareWriters() : await ourWriters()
process.on('message', async () => {
  const until = performance.now() + SECONDS * 1_000
  const commits = await Promise.all(writers.map(writer => commitsOf(writer, until)))
  process.send?.(commits.reduce((a, b) => a + b) / SECONDS)
})
process.send?.('ready')
