import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { HoldpointSaver } from '../../src/langgraph/index.ts'
import type { GraphStore, NewGraphCheckpoint } from '../../src/ports/store/graphs.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { checkpointerSuites } from './checkpointer-suites.ts'

const open = (): Promise<Store> => openSqliteStore(':memory:', { now: Date.now })

await checkpointerSuites('holdpoint on SQLite', open)

describe('a graph on the store', () => {
  const State = Annotation.Root({
    said: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
    attachment: Annotation<string>(),
  })
  const graphOn = (saver: HoldpointSaver) =>
    new StateGraph(State)
      .addNode('one', () => ({ said: ['one'] }))
      .addNode('two', () => ({ said: ['two'] }))
      .addEdge(START, 'one')
      .addEdge('one', 'two')
      .addEdge('two', END)
      .compile({ checkpointer: saver })
  const config = { configurable: { thread_id: 'letters' } }

  test('two branches of one thread keep the values of their own, also where they count to the same version', async () => {
    await using store = await open()
    const graph = graphOn(new HoldpointSaver(store.graphs))
    await graph.invoke({ said: ['start'] }, config)
    const history = []
    for await (const state of graph.getStateHistory(config)) history.push(state)
    const afterOne = history.find(({ next }) => next[0] === 'two')
    if (!afterOne) throw new TypeError('the graph made no step')
    const left = await graph.updateState(afterOne.config, { said: ['left'] })
    const right = await graph.updateState(afterOne.config, { said: ['right'] })
    const saidAt = async (at: typeof left) => (await graph.getState(at)).values.said
    expect(await saidAt(left)).toEqual(['start', 'one', 'left'])
    expect(await saidAt(right)).toEqual(['start', 'one', 'right'])
    expect(await saidAt(history[0]?.config ?? {})).toEqual(['start', 'one', 'two'])
  })

  test('a step writes what it changed, and not the rest of the state again', async () => {
    await using store = await open()
    const put: NewGraphCheckpoint[] = []
    const watched: GraphStore = {
      put: checkpoint => {
        put.push(checkpoint)
        return store.graphs.put(checkpoint)
      },
      putWrites: (place, writes) => store.graphs.putWrites(place, writes),
      find: place => store.graphs.find(place),
      heads: query => store.graphs.heads(query),
      forget: id => store.graphs.forget(id),
    }
    const attachment = 'x'.repeat(1_000_000)
    await graphOn(new HoldpointSaver(watched)).invoke({ said: ['start'], attachment }, config)
    const sizes = put.map(({ channels }) => channels.reduce((sum, { bytes }) => sum + bytes.length, 0))
    const written = put.flatMap(({ channels }) => channels).filter(({ channel }) => channel === 'attachment')
    expect(written).toHaveLength(1)
    expect(sizes.slice(2).every(size => size < 1_000)).toBe(true)
    const later = graphOn(new HoldpointSaver(store.graphs))
    expect((await later.getState(config)).values).toEqual({ said: ['start', 'one', 'two'], attachment })
  })

  test.each([undefined, '', 7, 'a\0b'])('a thread named %j is refused, and nothing is kept', async thread_id => {
    await using store = await open()
    const running = graphOn(new HoldpointSaver(store.graphs)).invoke({ said: [] }, { configurable: { thread_id } })
    await expect(running).rejects.toThrow(/thread/)
    expect(await store.graphs.heads({ limit: 1 })).toEqual([])
  })
})
