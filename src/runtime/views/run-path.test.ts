import { expect, test } from 'vitest'
import { plainEvent } from '../../core/journal/event.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { type RunNode, runPath, runPaths, runTree } from './run-path.ts'

interface Family extends AsyncDisposable {
  readonly store: Store
  readonly clock: HandClock
  /** Ids that were asked for, one by one. */
  readonly asked: string[]
}

/** Runs by name, each with its parent, a second after the one before. */
async function aFamily(parents: Readonly<Record<string, string | null>>): Promise<Family> {
  const clock = handClock()
  const store = await openStore('memory:', { clock, directory: '/' })
  for (const [id, parent_run_id] of Object.entries(parents)) {
    await store.start({
      run: { id, agent: `agent of ${id}`, hold_scope: 'call', parent_run_id },
      ...{ thread_id: `th_${id}`, after: 0, status: id.startsWith('w') ? 'waiting' : 'running', checkpoint_id: null },
      events: [plainEvent({ kind: 'step.started', run_id: id, data: { step: 1 } })],
    })
    await clock.advance(1000)
  }
  const asked: string[] = []
  const run = (id: string) => {
    asked.push(id)
    return store.run(id)
  }
  const watched: Store = Object.assign(Object.create(store), { run, runs: store.runs.bind(store) })
  return { store: watched, clock, asked, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

function ids(path: readonly { readonly run_id: string }[]): string {
  return path.map(({ run_id }) => run_id).join(' > ')
}

/** `a(b c)`: a, and below it b and c. */
function drawn(nodes: readonly RunNode[]): string {
  return nodes.map(({ id, children }) => (children.length === 0 ? id : `${id}(${drawn(children)})`)).join(' ')
}

const THREE_LEVELS = { a: null, b: 'a', c: 'b', d: 'a', alone: null, w1: 'c', w2: 'b' }

test('the path of a run leads from its root down to itself, with the agents', async () => {
  await using it = await aFamily(THREE_LEVELS)
  expect(await runPath(it.store, 'c')).toEqual([
    { run_id: 'a', agent: 'agent of a' },
    { run_id: 'b', agent: 'agent of b' },
    { run_id: 'c', agent: 'agent of c' },
  ])
  expect(ids(await runPath(it.store, 'alone'))).toBe('alone')
  expect(await runPath(it.store, 'nobody')).toEqual([])
})

test('of many paths each row is read once', async () => {
  await using it = await aFamily(THREE_LEVELS)
  const paths = await runPaths(it.store, ['w1', 'w2', 'alone', 'w1', 'c'])
  expect([...paths].map(([id, path]) => [id, ids(path)])).toEqual([
    ['w1', 'a > b > c > w1'],
    ['w2', 'a > b > w2'],
    ['alone', 'alone'],
    ['c', 'a > b > c'],
  ])
  expect(it.asked.toSorted()).toEqual(['a', 'alone', 'b', 'c', 'w1', 'w2'])
})

test('a path begins below a parent that is not there', async () => {
  await using it = await aFamily({ b: 'gone', c: 'b' })
  expect(ids(await runPath(it.store, 'c'))).toBe('b > c')
})

test('a path that goes round in a circle ends, and so does a tree, with every run once', async () => {
  await using it = await aFamily({ a: 'c', b: 'a', c: 'b', d: 'd' })
  expect(ids(await runPath(it.store, 'c'))).toBe('a > b > c')
  expect(ids(await runPath(it.store, 'd'))).toBe('d')
  expect(drawn(await runTree(it.store, {}))).toBe('d c(a(b))')
})

test('a path that is very deep shows its lower end', async () => {
  const parents = Array.from({ length: 150 }, (_, n) => [`run_${n}`, n === 0 ? null : `run_${n - 1}`] as const)
  await using it = await aFamily(Object.fromEntries(parents))
  const path = await runPath(it.store, 'run_149')
  expect([path[0]?.run_id, path.at(-1)?.run_id, path.length]).toEqual(['run_50', 'run_149', 100])
})

test.each([
  ['all', {}, 'alone a(d b(w2 c(w1)))'],
  ['those that wait, below what was not asked for', { status: 'waiting' }, 'a(b(w2 c(w1)))'],
  ['the newest', { limit: 1 }, 'a(b(w2))'],
  ['none', { status: 'done' }, ''],
] as const)(
  'a tree of %s has each run below the one whose agent started it, newest first',
  async (_what, query, tree) => {
    await using it = await aFamily(THREE_LEVELS)
    expect(drawn(await runTree(it.store, query))).toBe(tree)
  },
)

test('a run whose parent is gone is a root', async () => {
  await using it = await aFamily({ b: 'gone', c: 'b' })
  expect(drawn(await runTree(it.store, {}))).toBe('b(c)')
})
