import type { Store } from '../../ports/store/store.ts'
import type { Kit, Scene } from './contract-kit.ts'
import { aHold, aStart } from './store-samples.ts'
import type { StoreSubject } from './store-subject.ts'

interface Pair extends Scene {
  readonly other: Store
}

/** A run with one open hold, in two stores on the same data. */
export async function pair(scene: Kit['scene'], reopen: NonNullable<StoreSubject['reopen']>): Promise<Pair> {
  const first = await scene()
  await first.store.start(aStart({ opens: [aHold('hold_1')] }))
  const other = await reopen(first.store, first.clock)
  return {
    ...first,
    other,
    [Symbol.asyncDispose]: async () => {
      await other[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
    },
  }
}
