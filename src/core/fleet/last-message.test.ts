import { expect, test } from 'vitest'
import type { JournalEvent } from '../journal/event.ts'
import { lastMessage } from './last-message.ts'

let seq = 0
function event(kind: string, data: object): JournalEvent {
  seq += 1
  return { seq, at: `2026-01-01T00:00:0${seq % 10}.000Z`, kind, run_id: 'run_1', data } as unknown as JournalEvent
}
const said = (text: string) => event('model.answered', { text, calls: [] })
const asked = (content: unknown, author: string | null = 'ana') =>
  event('message.queued', { content, author, supersede: false })
const decided = (decision: object) => event('hold.decided', { hold_id: 'hold_1', call_id: null, decision })
const noise = event('step.ended', {})

test('the newest words count, of the agent or of a person, and what is no words is passed over', () => {
  expect(lastMessage([asked('go'), said('I look.'), said(''), noise], 'docs')).toMatchObject({
    is_of_agent: true,
    author: 'docs',
    line: 'I look.',
    is_cut: false,
  })
  expect(lastMessage([said('Done.'), asked('and the tests?')], 'docs')).toMatchObject({
    is_of_agent: false,
    author: 'ana',
    line: 'and the tests?',
  })
  expect(lastMessage([noise], 'docs')).toBeNull()
})

test('an answer is words of its author, and an approval is none', () => {
  const answer = decided({ verdict: 'respond', value: 'to staging', decided_by: 'ben' })
  const approval = decided({ verdict: 'approve', value: null, decided_by: 'eve' })
  expect(lastMessage([said('Where to?'), answer, approval], 'docs')).toMatchObject({
    author: 'ben',
    line: 'to staging',
  })
})

test('P9: several lines become one, what hides is made visible, and what is long is cut', () => {
  const found = lastMessage([said(`one\ntwo \u202eeerht`)], 'docs')
  expect(found?.line).toBe('one ⏎ two \\u{202e}eerht')
  const long = lastMessage([said('x'.repeat(1_000_000))], 'docs')
  expect([long?.line.length, long?.is_cut]).toEqual([280, true])
  const image = asked([{ type: 'image', media_type: 'image/png', data: 'AAAA' }])
  expect(lastMessage([image], 'docs')?.line).toMatch(/^\[image image\/png/)
})
