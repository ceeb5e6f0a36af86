import { spawn } from 'node:child_process'
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
  StoreLocation,
} from '../../src/index.ts'
import { handClock, scriptedModel, storeContract } from '../../src/testing/index.ts'
import { ended } from './project.ts'

const directory = await mkdtemp(join(tmpdir(), 'holdpoint-store-object-'))
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

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

/** Another process, over the built library. It decides the one open hold. */
const DECIDER = `
import { openHoldpoint } from '${new URL('../../dist/index.js', import.meta.url).pathname}'
await using holdpoint = await openHoldpoint({ store: process.env.STORE })
const [hold] = await holdpoint.holds({ status: 'open' })
const { outcome } = await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
console.log(JSON.stringify(outcome))
`

async function decidedElsewhere(): Promise<unknown> {
  const env = { PATH: process.env['PATH'] ?? '', STORE: SQLITE }
  const args = ['--input-type=module', '--eval', DECIDER]
  return (await ended(spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] })))
    .json
}

const SQLITE = 'sqlite:delegated.db'

async function aCountedStore() {
  return countingStore(await openStore(SQLITE, { clock: { now: () => Date.now() }, directory }))
}

function openOn(store: Store, effects: Json[]): Promise<Holdpoint> {
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

test('a run on a store object pauses, is decided in another process, and goes on with its tool and its audit log', async () => {
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

  expect(await decidedElsewhere()).toBe('recorded')

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

test('a shared store that no child process can open refuses tasks, and says so without its password', async () => {
  await using memory = await openStore('memory:', { clock: handClock(), directory })
  const differs: Partial<Store> = {
    location: new StoreLocation('ledger://ana:hush@db.example/runs'),
    capabilities: { isShared: true },
  }
  const store = new Proxy(countingStore(memory).store, {
    get: (target, name) => Reflect.get(name in differs ? differs : target, name),
  })
  await using holdpoint = await openOn(store, [])
  expect(holdpoint.storeUrl).toBe('ledger://ana@db.example/runs')
  const starter = { by: 'ana', surface: 'test', runId: null, isGated: true } as const
  const command = { command: 'true', title: null, workdir: null, timeout_seconds: null }
  const refused = await holdpoint.tasks.startCommand(command, starter).catch((thrown: unknown) => thrown)
  expect(refused).toMatchObject({ code: 'store_out_of_reach', message: expect.stringContaining('ledger://ana@db.') })
  expect(String(refused)).not.toContain('hush')
})
