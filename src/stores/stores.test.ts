import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { plainEvent } from '../core/journal/event.ts'
import { storeContract } from '../testing/contracts/store/store-contract.ts'
import { handClock } from '../testing/kit/hand-clock.ts'
import { openStore } from './open-store.ts'

const directory = await mkdtemp(join(tmpdir(), 'holdpoint-stores-'))
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

let files = 0

await storeContract('memory', { open: clock => openStore('memory:', { clock, directory }) })

await storeContract('sqlite', {
  open: clock => {
    files += 1
    return openStore(`sqlite:${files}/holdpoint.db`, { clock, directory })
  },
  reopen: (store, clock) => openStore(store.location.display, { clock, directory }),
})

test.each(['sqlite::memory:', '', 'sqlite:', 'sqlite', 'mysql://host/db', 'toString:x', './holdpoint.db'])(
  '%j names no store, and the refusal says what would',
  async url => {
    const refused = openStore(url, { clock: handClock(), directory })
    await expect(refused).rejects.toMatchObject({ code: 'unknown_store', hint: expect.stringContaining('sqlite:PATH') })
  },
)

test('two stores in memory have nothing to do with each other', async () => {
  await using one = await openStore('memory:', { clock: handClock(), directory })
  await using other = await openStore('memory:', { clock: handClock(), directory })
  await one.start({
    run: { id: 'run_1', agent: 'a', hold_scope: 'call' },
    thread_id: 'th_1',
    after: 0,
    events: [plainEvent({ kind: 'step.started', run_id: 'run_1', data: { step: 1 } })],
    status: 'running',
    checkpoint_id: null,
  })
  expect([(await one.runs({})).length, (await other.runs({})).length]).toEqual([1, 0])
})
