/** A store with a million waiting runs, made from one that the store itself wrote. */
import { performance } from 'node:perf_hooks'
import type pg from 'pg'
import type { GraphWrite, NewGraphCheckpoint } from '../../../src/ports/store/graphs.ts'
import type { Store } from '../../../src/ports/store/store.ts'
import { aBatch, aNotice } from '../../../src/testing/contracts/notices/sample-notice.ts'
import { anEvent } from '../../../src/testing/contracts/sample-journal.ts'
import { aDecision, aGrant, aHold, aStart, event } from '../../../src/testing/contracts/store-samples.ts'
import { aTask } from '../../../src/testing/contracts/tasks/sample-task.ts'

export const RUNS = 1_000_000
/** Of what there is less of in a store that is in use. */
export const FEWER: number = RUNS / 5

/** `run_1` waits for `hold_1`, with a task, a grant, a notice and a link. */
export async function writeFirst(store: Store): Promise<void> {
  const opens = [aHold('hold_0'), aHold('hold_1')]
  const asked = ({ id: hold_id, digest }: (typeof opens)[number]) => anEvent('hold.opened', { hold_id, digest })
  const said = anEvent('message.received', { content: 'Deploy it, please', input_id: 'input_1' })
  await store.start({
    ...aStart({ opens, events: [said, event('go'), ...opens.map(asked)] }),
    task: aTask({ subject: 'run_1' }),
  })
  await store.decide([aDecision('hold_0', { grant: aGrant('grant_1', { hold_id: 'hold_0' }) })])
  const claim = await store.claim({ run_id: 'run_1', owner: 'one', ttl_ms: 1_000 })
  if (claim?.outcome !== 'claimed') throw new TypeError('the run is busy')
  await store.append(claim.lease, 5, { events: [], rest: { events: [], run: { status: 'waiting' }, release: true } })
  const task = { task_id: 'task_1', invocation: 1 }
  await store.tasks.move({ ...task, from: ['pending'], to: 'running' })
  await store.tasks.move({ ...task, from: ['running'], to: 'completed', change: { exit_code: 0 } })
  await store.notices.enqueue(aBatch([aNotice('notice_1')]))
  const link = { digest: 'sha256:1', hold_id: 'hold_1', person: 'ana', channel: 'mail', level: 0 } as const
  await store.links.add([{ ...link, assignee: null, expires_at: null }])
  await store.graphs.put(aGraphCheckpoint(1))
  await store.graphs.putWrites(aGraphCheckpoint(1), [A_GRAPH_WRITE])
  await store.auditHead()
}

/** Of the graph of thread `n`. */
export function aGraphCheckpoint(n: number, id = '1f0'): NewGraphCheckpoint {
  return {
    ...{
      thread_id: `th_${n}`,
      namespace: '',
      checkpoint_id: id,
      parent_id: null,
      checkpoint: PACKED,
      metadata: PACKED,
    },
    versions: { messages: '1', plan: '1' },
    channels: ['messages', 'plan'].map(channel => ({ channel, version: '1', ...PACKED })),
  }
}

const PACKED = { type: 'json', bytes: Buffer.from('{"said":"Deploy it, please"}') }

export const A_GRAPH_WRITE: GraphWrite = { task_id: 'task', task_path: '', index: 0, channel: 'plan', ...PACKED }

/** The text of a column, with the ids of run 1 made those of run `n`. */
const OF_N = (column: string) => `regexp_replace(${column}, '\\m(run|th|hold|task)_1\\M', '\\1_' || n, 'g')`

/** A row of each statement is there; the others follow from it. */
const COPIES: readonly string[] = [
  `INSERT INTO @threads (id, created_at, newest)
   SELECT 'th_' || n, created_at + n, newest FROM generate_series(2, ${RUNS}) n, @threads WHERE id = 'th_1' ORDER BY n`,
  `INSERT INTO @events (thread, seq, at, run_id, kind, data)
   SELECT n, seq, at + n, 'run_' || n, kind, ${OF_N('data')}
   FROM generate_series(2, ${RUNS}) n, @events e WHERE e.thread = 1 AND e.seq < 5 ORDER BY n, seq`,
  `INSERT INTO @inputs (thread, input_id, seq) SELECT n, 'input_' || n, 1 FROM generate_series(2, ${RUNS}) n`,
  `INSERT INTO @runs (id, thread, agent, status, hold_scope, parent_run_id, created_at, updated_at, fence)
   SELECT 'run_' || n, n, 'agent_' || n % 20, 'waiting', hold_scope, CASE WHEN n % 10 = 0 THEN 'run_' || n - 1 END,
     created_at + n, updated_at + n, 1 FROM generate_series(2, ${RUNS}) n, @runs r WHERE r.id = 'run_1' ORDER BY n`,
  `INSERT INTO @holds (id, run_id, thread_id, agent, call_id, kind, status, tool, assignee, opened_at, due_at, on_due,
     level, wake_at, asked)
   SELECT 'hold_' || n, 'run_' || n, 'th_' || n, 'agent_' || n % 20, call_id, kind, 'open', 'tool_' || n % 10,
     CASE WHEN n % 3 = 0 THEN 'person_' || n % 100 END, opened_at + n, opened_at + n * 1000::bigint, 'reject',
     0, opened_at + n * 1000::bigint, asked
   FROM generate_series(2, ${RUNS}) n, @holds h WHERE h.id = 'hold_1' ORDER BY n`,
  `INSERT INTO @audit (seq, record, hash)
   SELECT (SELECT seq FROM @audit_head) + n, ${OF_N('record')}, hash
   FROM generate_series(2, ${RUNS}) n, @audit a WHERE a.seq = 1`,
  'UPDATE @audit_head SET seq = (SELECT max(seq) FROM @audit)',
  `INSERT INTO @tasks (id, status, newest, kind, title, subject, details, workdir, created_at, updated_at)
   SELECT 'task_' || n, status, 1, kind, title, 'run_' || n, details, workdir, created_at + n, updated_at + n
   FROM generate_series(2, ${FEWER}) n, @tasks t WHERE t.id = 'task_1' ORDER BY n`,
  `INSERT INTO @task_invocations (task, n, status, argv, asked_by, surface, asked_at)
   SELECT t.number, 1, i.status, argv, asked_by, surface, asked_at
   FROM @tasks t, @task_invocations i WHERE t.number > 1 AND i.task = 1`,
  `INSERT INTO @notices (id, hold_id, event, about, at, person, channel, address, status, sent, sent_at, created_at)
   SELECT 'notice_' || n, 'hold_' || n, event, about, at, person, channel, 'U' || n % 1000, 'sent', '{}', at + n, at + n
   FROM generate_series(2, ${FEWER}) n, @notices s WHERE s.id = 'notice_1' ORDER BY n`,
  `INSERT INTO @links (digest, hold_id, person, channel, level, created_at)
   SELECT 'sha256:' || n, 'hold_' || n, person, channel, 0, created_at
   FROM generate_series(2, ${FEWER}) n, @links l WHERE l.digest = 'sha256:1'`,
  `INSERT INTO @grants (id, agent, tool, scope, scope_id, hold_id, given)
   SELECT 'grant_' || n, 'agent_' || n % 20, 'tool_' || n % 10, 'run', 'run_' || n, 'hold_' || n, ${OF_N('given')}
   FROM generate_series(2, ${FEWER / 10}) n, @grants g WHERE g.id = 'grant_1' ORDER BY n`,
]

/** Those of graphs, by thread: their other columns are the same in each. */
const GRAPH_COPIES: readonly string[] = [
  ['graph_checkpoints', 'namespace, id, parent, type, value, metadata_type, metadata, versions'],
  ['graph_channels', 'namespace, channel, version, type, value'],
  ['graph_writes', 'namespace, checkpoint, task, path, place, channel, type, value'],
].map(
  ([table, columns]) => `INSERT INTO @${table} (thread, ${columns}) SELECT 'th_' || n, ${columns}
     FROM generate_series(2, ${FEWER}) n, @${table} g WHERE g.thread = 'th_1' ORDER BY n`,
)

/** Once for the whole suite. It takes a minute or two. */
export async function copyMillion(client: pg.Client, schema: string): Promise<void> {
  const from = performance.now()
  for (const copy of [...COPIES, ...GRAPH_COPIES]) await client.query(copy.replaceAll(/@(?=[a-z_])/g, `"${schema}".`))
  await client.query('VACUUM ANALYZE')
  console.log(`${RUNS} waiting runs: ${Math.round((performance.now() - from) / 1000)} s`)
}
