import { expect, test } from 'vitest'
import type { HoldKind } from '../../core/hold/hold.ts'
import { offered, prompt, type Reply, readReply } from './hold-reply.ts'

const asked = (kind: HoldKind, choices: readonly string[] | null = null) => ({ kind, choices })
const KINDS: readonly HoldKind[] = ['approval', 'question', 'input', 'client_tool', 'in_doubt']

test.each(['', ' ', '\t', '\r\n'])('P1: %j decides nothing, of whatever kind the hold is', line => {
  for (const kind of KINDS) expect(readReply(asked(kind), line).do).toBe('unclear')
})

test.each<[HoldKind, string, Reply]>([
  ['approval', 'approve', { do: 'approve' }],
  ['approval', ' Yes ', { do: 'approve' }],
  ['approval', '/a', { do: 'approve' }],
  ['approval', 'reject not on a Friday', { do: 'reject', reason: 'not on a Friday' }],
  ['approval', '/deny no', { do: 'reject', reason: 'no' }],
  ['approval', 'n', { do: 'reject', reason: null }],
  ['approval', 'edit', { do: 'edit' }],
  ['approval', 'later', { do: 'later' }],
  ['question', 'west', { do: 'answer', text: 'west' }],
  ['question', 'later', { do: 'answer', text: 'later' }],
  ['question', '/later', { do: 'later' }],
  ['question', '/reject ask ben', { do: 'reject', reason: 'ask ben' }],
  ['input', 'go on', { do: 'answer', text: 'go on' }],
  ['client_tool', 'result {"a":1}', { do: 'respond', value: { a: 1 } }],
  ['client_tool', 'result it is done', { do: 'respond', value: 'it is done' }],
  ['in_doubt', 'again yes', { do: 'approve' }],
  ['in_doubt', 'happened null', { do: 'respond', value: null }],
  ['in_doubt', 'failed no route', { do: 'reject', reason: 'no route' }],
])('at a hold of kind %s, %j is %j', (kind, line, reply) => {
  expect(readReply(asked(kind), line)).toEqual(reply)
})

test.each<[HoldKind, string]>([
  ['approval', 'perhaps'],
  ['approval', 'approve, but only the first'],
  ['approval', 'yes and no'],
  ['in_doubt', 'yes'],
  ['in_doubt', 'again'],
  ['in_doubt', 'again and again'],
  ['in_doubt', 'approve'],
  ['in_doubt', 'happened'],
  ['client_tool', 'approve'],
  ['question', '/approve'],
])('P1: at a hold of kind %s, %j decides nothing', (kind, line) => {
  expect(readReply(asked(kind), line).do).toBe('unclear')
})

test.each(KINDS)('P1: at a hold of kind %s that the person may not decide, only later is understood', kind => {
  const only = { ...asked(kind), laterOnly: true }
  expect(prompt(only)).toBe('later? ')
  expect(readReply(only, 'approve').do).toBe('unclear')
  expect([readReply(only, 'later'), readReply(only, '/later')]).toEqual([{ do: 'later' }, { do: 'later' }])
})

test('P1: what reaches further wants a whole word, and what overrides a policy the name of its thing', () => {
  const high = { ...asked('approval'), risk: 'high' as const }
  expect(prompt(high)).toBe('yes, n, edit or later? ')
  for (const letter of ['y', 'a']) expect(readReply(high, letter).do).toBe('unclear')
  for (const word of ['yes', 'approve']) expect(readReply(high, word)).toEqual({ do: 'approve' })
  const never = { ...asked('approval'), overrides_never: true as const, tool: 'deploy', arguments: { branch: 'main' } }
  expect(offered(never)[0]?.[0]).toBe('approve main')
  for (const words of ['y', 'yes', 'approve', 'approve prod']) expect(readReply(never, words).do).toBe('unclear')
  expect(readReply(never, 'approve Main')).toEqual({ do: 'approve' })
})

test('a number is the choice of that number, unless it is a choice itself', () => {
  expect(readReply(asked('question', ['east', 'west']), '2')).toEqual({ do: 'answer', text: 'west' })
  expect(readReply(asked('question', ['east', 'west']), '3')).toEqual({ do: 'answer', text: '3' })
  expect(readReply(asked('question', ['2', '1']), '2')).toEqual({ do: 'answer', text: '2' })
})

test('what is offered is what can be typed', () => {
  expect(prompt(asked('approval'))).toBe('y, n, edit or later? ')
  expect(offered(asked('question', ['east', 'west'])).map(([word]) => word)).toEqual([
    '1',
    '2',
    '/reject WHY',
    '/later',
  ])
  for (const kind of KINDS)
    for (const [words] of offered(asked(kind))) expect(readReply(asked(kind), words).do).not.toBe('unclear')
})
