import { expect, test } from 'vitest'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { lineText } from '../screen/line.ts'
import { Transcript } from './transcript.ts'

test('one empty line stands between messages that follow each other', () => {
  const transcript = new Transcript('ana')
  const rows = ['one', 'two'].flatMap(text => transcript.hear(said(text), 80)).map(lineText)
  expect(rows).toEqual(['', '› one', '', '› two', ''])
})

test('a message behind rows of a command keeps its empty line', () => {
  const transcript = new Transcript('ana')
  transcript.hear(said('one'), 80)
  transcript.interrupt()
  expect(transcript.hear(said('two'), 80).map(lineText)).toEqual(['', '› two', ''])
})

function said(content: string): JournalEvent {
  const data = { content, author: 'ana', forced_by: null }
  return {
    kind: 'message.received',
    seq: 1,
    at: '2026-01-01T00:00:00.000Z',
    thread_id: 'th_1',
    run_id: 'run_1',
    data,
  } as JournalEvent
}
