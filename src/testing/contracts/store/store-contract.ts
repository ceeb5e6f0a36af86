/**
 * The promises of every store (ports/store/), as tests: P2 one decision wins, P4 all of a write or nothing, P7 an old
 * lease writes nothing. Run it in a vitest file: `await storeContract('sqlite', { open, reopen })`.
 */

import { handClock } from '../../kit/hand-clock.ts'
import { movingBetweenStores } from '../bundles/moving.ts'
import type { Kit, Scene } from '../contract-kit.ts'
import { beingPresent } from '../fleet/being-present.ts'
import { oneDaemon } from '../fleet/one-daemon.ts'
import { working } from '../fleet/working.ts'
import { keepingGraphs } from '../graphs/keeping-graphs.ts'
import { admitting } from '../holds/admitting.ts'
import { amending } from '../holds/amending.ts'
import { beingDue } from '../holds/being-due.ts'
import { deciding } from '../holds/deciding.ts'
import { decidingAllOrNone, decidingTogether, decidingWithTheClaim, waking } from '../holds/deciding-together.ts'
import { granting } from '../holds/granting.ts'
import { requesting } from '../holds/requesting.ts'
import { signingIn } from '../holds/signing-in.ts'
import { linking } from '../notices/linking.ts'
import { changingNotices, noticing, refusingReceivers } from '../notices/noticing.ts'
import { subscribing } from '../notices/subscribing.ts'
import type { StoreSubject } from '../store-subject.ts'
import { keepingTasks } from '../tasks/keeping.ts'
import { movingTasks } from '../tasks/moving.ts'
import { pruningTasks } from '../tasks/pruning.ts'
import { takingTurns } from '../tasks/taking-turns.ts'
import { tasksOpenedTwice, watchingTasks } from '../tasks/watching.ts'
import { feeding, feedingOpenedTwice } from './feeding.ts'
import { figuring } from './figuring.ts'
import { leases } from './leases.ts'
import { onRecord } from './on-record.ts'
import { openedTwice } from './opened-twice.ts'
import { plainTexts } from './plain-texts.ts'
import { pruning } from './pruning.ts'
import { queueing } from './queueing.ts'
import { reading } from './reading.ts'
import { reserving, starting } from './starting.ts'
import { survivingPowerCuts } from './surviving-power-cuts.ts'
import { watchedFromElsewhere, watching } from './watching.ts'
import { resting, writing } from './writing.ts'

/** Registers the tests. `name` is what they are listed under. */
export async function storeContract(name: string, { open, reopen, afterPowerCut }: StoreSubject): Promise<void> {
  const { describe, expect, test } = await import('vitest')
  async function scene(): Promise<Scene> {
    const clock = handClock('2030-01-01T00:00:00.000Z')
    const store = await open(clock)
    return { store, clock, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }
  const kit: Kit = { test, expect, scene }
  describe(`${name}: starting`, () => starting(kit))
  describe(`${name}: leases`, () => leases(kit))
  describe(`${name}: writing`, () => writing(kit))
  describe(`${name}: resting`, () => resting(kit))
  describe(`${name}: deciding`, () => deciding(kit))
  describe(`${name}: deciding all or none`, () => decidingAllOrNone(kit))
  describe(`${name}: deciding with the claim`, () => decidingWithTheClaim(kit))
  describe(`${name}: waking`, () => waking(kit))
  describe(`${name}: deciding together`, () => decidingTogether(kit))
  describe(`${name}: amending`, () => amending(kit))
  describe(`${name}: being due`, () => beingDue(kit))
  describe(`${name}: admitting`, () => admitting(kit))
  describe(`${name}: signing in`, () => signingIn(kit))
  describe(`${name}: noticing`, () => noticing(kit))
  describe(`${name}: receivers that want no more`, () => refusingReceivers(kit))
  describe(`${name}: changing notices`, () => changingNotices(kit))
  describe(`${name}: linking`, () => linking(kit))
  describe(`${name}: subscribing to pushes`, () => subscribing(kit))
  describe(`${name}: granting`, () => granting(kit))
  describe(`${name}: queueing`, () => queueing(kit))
  describe(`${name}: reserving`, () => reserving(kit))
  describe(`${name}: requesting`, () => requesting(kit))
  describe(`${name}: reading`, () => reading(kit))
  describe(`${name}: plain texts`, () => plainTexts(kit))
  describe(`${name}: on record`, () => onRecord(kit))
  describe(`${name}: feeding`, () => feeding(kit))
  describe(`${name}: figuring`, () => figuring(kit))
  describe(`${name}: pruning`, () => pruning(kit))
  describe(`${name}: watching`, () => watching(kit))
  describe(`${name}: keeping tasks`, () => keepingTasks(kit))
  describe(`${name}: moving tasks`, () => movingTasks(kit))
  describe(`${name}: taking turns`, () => takingTurns(kit))
  describe(`${name}: watching tasks`, () => watchingTasks(kit))
  describe(`${name}: pruning tasks`, () => pruningTasks(kit))
  describe(`${name}: being present`, () => beingPresent(kit))
  describe(`${name}: one daemon`, () => oneDaemon(kit))
  describe(`${name}: working`, () => working(kit))
  describe(`${name}: keeping graphs`, () => keepingGraphs(kit))
  describe(`${name}: moving between stores`, () => movingBetweenStores(kit))
  test(`${name}: the store tells whether other processes can open it`, async () => {
    await using it = await scene()
    expect(it.store.capabilities.isShared).toBe(reopen !== undefined)
  })
  if (reopen) {
    describe(`${name}: opened twice`, () => openedTwice(kit, reopen))
    describe(`${name}: tasks, opened twice`, () => tasksOpenedTwice(kit, reopen))
    describe(`${name}: feeding, opened twice`, () => feedingOpenedTwice(kit, reopen))
    describe(`${name}: watched from elsewhere`, () => watchedFromElsewhere(kit, reopen))
  } else
    test.skip(`${name}: opened twice, watched from elsewhere (there is no \`reopen\`: nobody else can reach this store)`, () => {})
  if (afterPowerCut) describe(`${name}: surviving power cuts`, () => survivingPowerCuts(kit, afterPowerCut))
}
