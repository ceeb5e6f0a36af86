import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store/store.ts'

/** The store that `storeContract` tests. */
export interface StoreSubject {
  /** A store with nothing in it; called for each test, which closes it. */
  readonly open: (clock: Clock) => Promise<Store>
  /** Another one on what `store` holds, as a second process would open it; left out where that is impossible. */
  readonly reopen?: (store: Store, clock: Clock) => Promise<Store>
  /** Another one on what the disk of `store` would have if its power were cut now; left out where that is impossible. */
  readonly afterPowerCut?: (store: Store, clock: Clock) => Promise<Store>
}
