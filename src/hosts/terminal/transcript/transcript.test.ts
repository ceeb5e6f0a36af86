import { expect, test } from 'vitest'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { lineText } from '../screen/flow.ts'
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

test('a message for which the run waited is a message, and its end is told without one', () => {
  const transcript = new Transcript('ana')
  expect(transcript.hear(decided({ verdict: 'respond', value: 'two' }), 80).map(lineText)).toEqual(['', '› two', ''])
  const parts = [{ type: 'image', media_type: 'image/png', data: 'AAAA', name: 'a.png' }]
  const image = transcript.hear(decided({ verdict: 'respond', value: 'in words', parts, decided_by: 'ben' }), 80)
  expect(image.map(lineText)).toEqual(['ben › [image a.png, image/png, 3 bytes]', ''])
  expect(transcript.hear(decided({ verdict: 'approve' }), 80).map(lineText)).toEqual(['· ended by you'])
  const idle = transcript.hear(decided({ verdict: 'approve', decided_by: 'holdpoint', reason: 'idle_timeout' }), 80)
  expect(idle.map(lineText)).toEqual(['· ended because it was idle for too long'])
})

function decided(decision: object): JournalEvent {
  const usual = { value: null, reason: null, decided_by: 'ana', surface: 'attach' }
  const data = { hold_id: 'hold_1', call_id: null, status: null, decision: { ...usual, ...decision } }
  return { ...said(''), kind: 'hold.decided', data } as unknown as JournalEvent
}

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
