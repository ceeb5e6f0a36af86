import { expect, test } from 'vitest'
import { type KeptFold, lightFold } from '../../core/folds/kept-fold.ts'
import { fold } from '../../core/journal/fold.ts'
import { aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import { loadThread } from './load-thread.ts'

const events = aJournal([
  ...[anEvent('run.started'), anEvent('message.received'), anEvent('step.started')],
  ...[anEvent('model.answered'), anEvent('call.gated'), anEvent('call.started')],
])

/** A store of that journal, and the places from which it was read. */
const aStore = (fold: KeptFold | null) => {
  const reads: number[] = []
  const journal = async (_: string, after = 0) => {
    reads.push(after)
    return events.slice(after)
  }
  return { reads, store: { journal, keptFold: async () => structuredClone(fold) } }
}

const keptAt = (seq: number): KeptFold => ({
  thread: lightFold(fold('th_1', events.slice(0, seq))),
  at: events[seq - 1]!.at,
})

test.each([
  ['the events since its kept fold alone', keptAt(4), [3]],
  ['all events without one', null, [0]],
  ['all events if the fold is of another journal', { ...keptAt(4), at: '2001-01-01T00:00:00.000Z' }, [3, 0]],
])('reads %s', async (_, kept, reads) => {
  const it = aStore(kept)
  const { thread } = await loadThread(it.store, 'th_1')
  expect(it.reads).toEqual(reads)
  expect({ ...thread, kept_to: 0 }).toStrictEqual(structuredClone(fold('th_1', events)))
})
