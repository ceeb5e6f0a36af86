import { expect, test } from 'vitest'
import { RefusedError } from '../../../core/errors.ts'
import type { Conversation, Presence } from '../conversation/conversation.ts'
import { type Line, lineText } from '../screen/flow.ts'
import { wholeResult } from '../transcript/result-lines.ts'
import { type Deck, type Left, refusalText } from './deck.ts'
import { slashIn } from './slash-commands.ts'

test('a misspelled command is told apart from each name that is near', () => {
  expect(slashIn('/aprove tc_1')).toMatchObject({ command: null, word: 'aprove', near: ['approve'] })
  expect(slashIn('/a')?.near).toEqual(['approve', 'answer', 'always'])
  expect(slashIn('/runz')?.near).toEqual(['runs'])
  expect(slashIn('/xyzzy')?.near).toEqual([])
})

test('a refusal is made of sentences', () => {
  const refusal = new RefusedError('invalid_arguments', 'Usage: holdpoint show ID', { hint: 'See `holdpoint runs`' })
  expect(refusalText(refusal)).toBe('Usage: holdpoint show ID. See `holdpoint runs`.')
  expect(refusalText(new RefusedError('invalid_arguments', 'Really?'))).toBe('Really?')
})

test('a call without output is said to have none', () => {
  const rows = wholeResult({ call_id: 'tc_1', output: { stdout: '', stderr: '' } }, 'th_1')
  expect(rows.map(lineText)).toEqual(['    tc_1 had no output.'])
})

test('/go is refused in words unless the run was stopped', async () => {
  const deck = aDeck()
  await expect(slashIn('/go')?.command?.run(deck, '')).rejects.toThrow('Nothing is stopped here')
  expect(deck.wentOn).toBe(false)
  deck.isStopped = true
  await slashIn('/go')?.command?.run(deck, '')
  expect(deck.wentOn).toBe(true)
})

test('/fork names both sessions before it goes on in the new one', async () => {
  const deck = aDeck()
  await slashIn('/fork')?.command?.run(deck, '')
  expect(deck.printed.map(lineText)).toEqual(['· forked th_1: this conversation goes on in th_2'])
  expect(deck.left).toEqual({ to: 'fork', session: 'th_2' })
})

/** Of a deck what these commands use. */
function aDeck(): Deck & { isStopped: boolean; wentOn: boolean; printed: Line[]; left: Left } {
  const conversation: Pick<Conversation, 'sessionId' | 'fork' | 'goOn' | 'presence'> = {
    sessionId: 'th_1',
    fork: async () => 'th_2',
    goOn: () => {
      deck.wentOn = true
    },
    presence: () => ({ isStopped: deck.isStopped }) as Presence,
  }
  const deck = {
    isStopped: false,
    wentOn: false,
    printed: [] as Line[],
    left: null as Left,
    conversation,
    print: (lines: readonly Line[]) => void deck.printed.push(...lines),
    leave: (left: Left) => {
      deck.left = left
    },
  }
  return deck as typeof deck & Deck
}
