import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { survivingPowerCuts } from '../../src/testing/contracts/store/surviving-power-cuts.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { cutPower } from './power-cut.ts'
import { RemoteStores } from './remote-stores.ts'
import { DiskShim } from './shim.ts'

const held = new AsyncDisposableStack()
afterAll(() => held.disposeAsync())
const shim = held.use(new DiskShim())
const directory = mkdtempSync(join(tmpdir(), 'holdpoint-power-'))
held.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))

const log = join(directory, 'unsynced')
let files = 0
const file = (name: string) => {
  files += 1
  return join(directory, `${name}-${files}.db`)
}

describe.skipIf(shim.missing !== null)(`sqlite: surviving power cuts (${shim.missing ?? 'with LD_PRELOAD'})`, () => {
  const stores = held.use(new RemoteStores(shim.env({ files: join(directory, 'store'), unsynced: log })))

  survivingPowerCuts(
    {
      test,
      expect,
      scene: async () => {
        const store = stores.open(file('store'))
        return { store, clock: handClock(), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
      },
    },
    async (store, clock) => {
      const copy = file('left')
      cutPower({ log, store: stores.fileOf(store), copy })
      return openSqliteStore(copy, clock)
    },
  )
})
