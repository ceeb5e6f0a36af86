import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  defineAgent,
  defineTool,
  type Holdpoint,
  type Json,
  openHoldpoint,
  openStore,
  type Store,
} from '../../src/index.ts'
import { handClock, scriptedModel, storeContract } from '../../src/testing/index.ts'

const directory = await mkdtemp(join(tmpdir(), 'holdpoint-store-object-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A store of another author: it has the roles of a store, and leaves the work to one of ours. */
function countingStore(store: Store): { readonly store: Store; readonly calls: Set<string> } {
  const calls = new Set<string>()
  const handler: ProxyHandler<Store> = {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        calls.add(String(name))
        return value.apply(target, given)
      }
    },
  }
  return { store: new Proxy(store, handler), calls }
}

await storeContract('a store object that delegates', {
  open: async clock => countingStore(await openStore('memory:', { clock, directory })).store,
})

const SQLITE = 'sqlite:delegated.db'

async function aCountedStore() {
  return countingStore(await openStore(SQLITE, { clock: { now: () => Date.now() }, directory }))
}

function openOn(store: Store | string, effects: Json[]): Promise<Holdpoint> {
  const deploy = defineTool({
    name: 'deploy',
    inputSchema: { type: 'object' },
    needsApproval: true,
    execute: async args => {
      effects.push(args as Json)
      return 'deployed'
    },
  })
  const model = scriptedModel([{ calls: [{ id: 'tc_1', name: 'deploy', args: { to: 'production' } }] }, 'Done.'])
  return openHoldpoint({ store, directory, agents: [defineAgent({ name: 'worker', model, tools: [deploy] })] })
}

test('a run on a store object pauses, is decided through another store, and goes on with its tool and its audit log', async () => {
  const effects: Json[] = []
  const first = await aCountedStore()
  let runId = ''
  {
    await using paused = await openOn(first.store, effects)
    runId = (await paused.start({ agent: 'worker', input: 'go' })).id
    expect(await paused.advance(runId)).toMatchObject({ status: 'waiting' })
  }
  // The caller closes what the caller opened.
  expect(await first.store.run(runId)).toMatchObject({ status: 'waiting', lease: null })
  await first.store[Symbol.asyncDispose]()

  {
    await using elsewhere = await openOn(SQLITE, effects)
    const [hold] = await elsewhere.holds({ status: 'open' })
    const said = { verdict: 'approve', decided_by: 'ana', surface: 'test' } as const
    expect(await elsewhere.decide(hold?.id ?? '', said)).toMatchObject({ outcome: 'recorded' })
  }

  await using second = (await aCountedStore()).store
  const { store, calls } = countingStore(second)
  await using resumed = await openOn(store, effects)
  expect(await resumed.advance(runId)).toMatchObject({ status: 'done' })
  expect(effects).toEqual([{ to: 'production' }])
  expect(await resumed.audit.verify()).toMatchObject({ faults: [] })
  expect(await resumed.audit.explain(runId)).toMatchObject({ run_id: runId })
  expect([...first.calls]).toEqual(expect.arrayContaining(['start', 'claim', 'append', 'run']))
  expect([...calls]).toEqual(expect.arrayContaining(['claim', 'append', 'journal', 'verifyAudit']))
})

test('a store object that is not closed serves the next Holdpoint too', async () => {
  await using store = await openStore('memory:', { clock: handClock(), directory })
  for (const expected of [1, 2]) {
    await using holdpoint = await openOn(store, [])
    await holdpoint.start({ agent: 'worker', input: 'go' })
    expect(await holdpoint.runs()).toHaveLength(expected)
  }
})
