import * as vitest from 'vitest'
import { HoldpointSaver } from '../../src/langgraph/index.ts'
import type { Store } from '../../src/ports/store/store.ts'

/** LangGraph's own suites for checkpointers. They take the verbs of the test runner from the global scope. */
export async function checkpointerSuites(name: string, open: () => Promise<Store>): Promise<void> {
  Object.assign(globalThis, vitest)
  const { deltaChannelHistoryTests, validate } = await import('@langchain/langgraph-checkpoint-validation')
  const stores = new WeakMap<HoldpointSaver, Store>()
  const initializer = {
    checkpointerName: name,
    createCheckpointer: async () => {
      const store = await open()
      const saver = new HoldpointSaver(store.graphs)
      stores.set(saver, store)
      return saver
    },
    destroyCheckpointer: async (saver: HoldpointSaver) => stores.get(saver)?.[Symbol.asyncDispose](),
  }
  validate(initializer)
  deltaChannelHistoryTests(initializer)
}
