import type { Store } from '../../ports/store/store.ts'
import type { HandClock } from '../kit/hand-clock.ts'

/** The functions by which the tests of a contract are made. */
export interface Kit extends Pick<typeof import('vitest'), 'test' | 'expect'> {
  /** A new store, with its clock; dispose it to close it. */
  readonly scene: () => Promise<Scene>
}

export interface Scene extends AsyncDisposable {
  readonly store: Store
  readonly clock: HandClock
}
