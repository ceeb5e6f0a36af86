/**
 * A process that keeps SQLite stores for its parent, so that its disk can be another one than that of the parent: each
 * message names a method of the store in a file, which is opened at its first message. Started by `remote-store.ts`.
 */
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'

/** What the parent asks: `method` is a path, as in `tasks.create`. */
export interface Asked {
  readonly id: number
  readonly file: string
  readonly method: readonly string[]
  readonly args: readonly unknown[]
}

const stores = new Map<string, Promise<Store>>()

async function answer({ file, method, args }: Asked): Promise<unknown> {
  const opened = stores.get(file) ?? openSqliteStore(file, handClock('2030-01-01T00:00:00.000Z'))
  stores.set(file, opened)
  const store = await opened
  if (method[0] === 'dispose') {
    stores.delete(file)
    return store[Symbol.asyncDispose]()
  }
  const [name = '', ...rooms] = method.toReversed()
  const room = rooms.toReversed().reduce<unknown>((within, each) => Reflect.get(Object(within), each), store)
  return Reflect.get(Object(room), name).apply(room, args)
}

process.on('message', async (asked: Asked) => {
  try {
    process.send?.({ id: asked.id, value: await answer(asked) })
  } catch (error) {
    process.send?.({ id: asked.id, error })
  }
})
