import { plainEvent } from '../../src/core/journal/event.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { anExport, arrived, waiting } from '../../src/testing/contracts/bundles/sample-bundle.ts'
import { aBatch, aNotice } from '../../src/testing/contracts/notices/sample-notice.ts'
import { aDecision, aGrant, aHold, aStart } from '../../src/testing/contracts/store-samples.ts'
import { aTaskThatIs } from '../../src/testing/contracts/tasks/sample-task.ts'

const LATER = '2100-01-01T00:00:00.000Z'

/** So many that a copy takes several pages. */
const FINISHED = 60

/** Puts something into each table. Nobody works on any of it. */
export async function fillStore(store: Store): Promise<void> {
  await goAwayAndComeBack(store)
  await decideWithGrant(store)
  for (let n = 0; n < FINISHED; n += 1)
    await store.start(aStart({ run: `run_${n + 100}`, thread: `th_${n + 100}`, status: 'done' }))
  await aTaskThatIs(store.tasks, 'completed')
  await aTaskThatIs(store.tasks, 'paused', { id: 'task_2' })
  await tellPeople(store)
  await keepGraph(store)
}

async function goAwayAndComeBack(store: Store): Promise<void> {
  await waiting(store)
  const away = await store.bundles.export(anExport())
  if (away.outcome !== 'exported') throw new TypeError('the thread did not move')
  await arrived(store, away)
  await store.bundles.export(anExport({ bundle_id: 'bundle_2' }))
}

async function decideWithGrant(store: Store): Promise<void> {
  const held = ['hold_2', 'hold_3'].map(id => ({ ...aHold(id), run_id: 'run_2' }))
  const data = { content: 'odd text: \u0000 \ud83d\ude00 "\\" ü', author: 'ana', supersede: false, input_id: 'in_1' }
  const events = [...aStart({ run: 'run_2' }).events, plainEvent({ kind: 'message.queued', run_id: 'run_2', data })]
  await store.start(aStart({ run: 'run_2', thread: 'th_2', status: 'waiting', events, opens: held }))
  await store.decide([aDecision('hold_2', { grant: aGrant('grant_1', { hold_id: 'hold_2' }) })])
}

async function keepGraph({ graphs }: Store): Promise<void> {
  const place = { thread_id: 'graph_1', namespace: '', checkpoint_id: '1' }
  const value = { type: 'bytes', bytes: new Uint8Array([0, 92, 255, 10]) }
  await graphs.put({
    ...{ ...place, parent_id: null, checkpoint: value, metadata: value, versions: { said: '1' } },
    channels: [{ channel: 'said', version: '1', ...value }],
  })
  await graphs.putWrites(place, [{ task_id: 'task_1', task_path: '', index: 0, channel: 'said', ...value }])
}

async function tellPeople(store: Store): Promise<void> {
  await store.access.add({
    ...{ id: 'token_1', name: 'ben', role: 'decider', digest: 'sha256:token_1', expires_at: null, by: 'ana' },
    surface: 'cli',
  })
  await store.sessions.add({
    ...{ id: 'session_1', kind: 'session', name: 'ben', role: 'decider', groups: ['finance'] },
    ...{ proof: { kind: 'token', digest: 'sha256:token_1' }, digest: 'sha256:session_1', expires_at: LATER },
    surface: 'http',
  })
  await store.subscriptions.add(
    {
      ...{ id: 'push_1', name: 'ben', session_id: 'session_1', token_id: 'token_1' },
      ...{ endpoint: 'https://push.example.org/1', p256dh: 'BA', auth: 'AA' },
    },
    1,
  )
  await store.subscriptions.keepKeys({ public_key: 'BA', private_key: 'AA' })
  await store.notices.enqueue(aBatch([aNotice('ntc_3')]))
  await store.links.add(
    [
      ...[{ digest: 'sha256:1', hold_id: 'hold_3', person: 'ana', channel: 'mail' as const, level: 1, assignee: null }],
    ].map(link => ({ ...link, expires_at: LATER })),
  )
  await store.cursor('notices').advance(0, 1)
}
