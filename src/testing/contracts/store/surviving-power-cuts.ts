import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { anEvent, EVENT_KINDS } from '../sample-journal.ts'
import {
  aCancel,
  aDecision,
  aGrant,
  aHold,
  amendment,
  aRequest,
  aStart,
  claimed,
  END,
  EXPIRED,
  everything,
  note,
  REMINDED,
} from '../store-samples.ts'
import type { StoreSubject } from '../store-subject.ts'
import { aMove, aTask } from '../tasks/sample-task.ts'

type Act = (store: Store) => Promise<unknown>

/** What is answered, or followed by an effect, once it is written. Each begins with a run that waits for `hold_1`. */
const ACTS: Readonly<Record<string, Act>> = {
  'a start': store => store.start(aStart({ run: 'run_2', thread: 'th_2' })),
  'a claim': store => claimed(store),
  'an end': async store => store.append(await claimed(store), 2, { events: [], rest: END }),
  'a decision': store => store.decide([aDecision('hold_1')]),
  'a decision with a grant': store => store.decide([aDecision('hold_1', { grant: aGrant('grant_1') })]),
  'a revocation of a grant': async store => {
    await store.decide([aDecision('hold_1', { grant: aGrant('grant_1') })])
    await store.revoke({ grant_id: 'grant_1', by: 'ana', surface: 'cli' })
  },
  'a reminder': store => store.amend([amendment(REMINDED)]),
  'a deadline': store => store.amend([amendment(EXPIRED)]),
  'a message': store => store.request(aRequest()),
  'a cancel': store => store.request(aCancel()),
  'a record': store => store.record([{ kind: 'decision.refused', actor: 'ben', data: { code: 'not_a_decider' } }]),
  'a task': store => store.tasks.create(aTask()),
  'the end of a task': async store => {
    await store.tasks.create(aTask())
    await store.tasks.move(aMove('running', { from: ['pending'] }))
    await store.tasks.move(aMove('completed', { from: ['running'] }))
  },
  'a token': store =>
    store.access.add({
      ...{
        id: 'token_1',
        name: 'ben',
        role: 'decider',
        digest: 'sha256:1',
        expires_at: null,
        by: 'ana',
        surface: 'cli',
      },
    }),
}

/** P4: what a method returned is on disk. The power may go at any moment after that. */
export function survivingPowerCuts(
  { test, expect, scene }: Kit,
  afterPowerCut: NonNullable<StoreSubject['afterPowerCut']>,
): void {
  const told = async (store: Store) => ({
    ...(await everything(store)),
    tasks: await store.tasks.tasks({}),
    tokens: await store.access.list(),
  })
  const begin = (store: Store) => store.start(aStart({ opens: [aHold('hold_1')] }))

  test.each(EVENT_KINDS)('P4: once the owner of a run has written %s, a power cut does not undo it', async kind => {
    await using it = await scene()
    await begin(it.store)
    await it.store.append(await claimed(it.store), 2, { events: [anEvent(kind)] })
    await using left = await afterPowerCut(it.store, it.clock)
    expect(await left.journal('th_1', 2)).toMatchObject([{ seq: 3, kind }])
  })

  test.each(Object.entries(ACTS))('P4: once %s was told, a power cut does not undo it', async (_what, act) => {
    await using it = await scene()
    await begin(it.store)
    await act(it.store)
    const before = await told(it.store)
    await using left = await afterPowerCut(it.store, it.clock)
    expect(await told(left)).toEqual(before)
  })

  test('P4, P7: after a power cut the journal goes on where it was, and its owner may write', async () => {
    await using it = await scene()
    await begin(it.store)
    const lease = await claimed(it.store)
    await it.store.append(lease, 2, note('one'))
    await using left = await afterPowerCut(it.store, it.clock)
    await left.append(lease, 3, note('two'))
    expect(await left.journal('th_1', 2)).toMatchObject([{ data: { content: 'one' } }, { data: { content: 'two' } }])
    expect(await left.verifyAudit()).toMatchObject({ faults: [] })
  })
}
