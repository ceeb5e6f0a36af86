import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-journal.ts'
import type { Hold } from '../hold/hold.ts'
import { digestText } from './digest-text.ts'

const AT = { baseUrl: 'https://holds.example.org', now: Date.parse('2030-01-01T00:00:00Z'), person: 'ana' }
const asked = (id: string, more: Partial<Hold>) => ({ hold: aHold({ id, agent: 'deployer', ...more }), result: null })

test('each hold of a digest has its act, its agent, its time and its page, and those that ask the same share a line', () => {
  const { title, lines } = digestText(
    [
      asked('hold_1', { title: 'Run npm test' }),
      asked('hold_2', { title: 'Run npm test', due_at: '2030-01-01T02:00:00.000Z' }),
      asked('hold_3', { title: 'Run git push', risk: 'high' }),
      asked('hold_4', { title: 'Run git push', risk: 'high', status: 'withdrawn' }),
    ],
    AT,
  )
  expect(title).toBe('3 holds wait for you')
  expect(lines.map(({ text, url }) => `${text} ${url}`)).toEqual([
    'deployer asks: Run npm test (2 ask the same, due in 2 h) https://holds.example.org/holds/hold_2',
    '[high risk] deployer asks: Run git push https://holds.example.org/holds/hold_3',
  ])
})

test('a digest says how many it does not name, and what waits is named before its end', () => {
  const many = Array.from({ length: 30 }, (_, n) => asked(`hold_${n}`, { title: `Run test ${n}` }))
  const { lines, words } = digestText(many, { ...AT, baseUrl: null })
  expect([lines.length, words, lines[0]?.url]).toEqual([20, 'And 10 more.', null])
})
