import { expect, test } from 'vitest'
import { readCommand } from './command.ts'

test.each([
  ['deploy it', null],
  ['what does /approve do?', null],
  ['/approve', { verb: 'approve', holdId: null }],
  ['  /approve hold_1 ', { verb: 'approve', holdId: 'hold_1' }],
  ['/deny', { verb: 'deny', holdId: null, reason: null }],
  ['/deny not on\na Friday', { verb: 'deny', holdId: null, reason: 'not on\na Friday' }],
  ['/reject hold_1 too soon', { verb: 'deny', holdId: 'hold_1', reason: 'too soon' }],
  ['/approve but slowly', { verb: 'unknown', word: '/approve but slowly' }],
  ['/approved', { verb: 'unknown', word: '/approved' }],
  ['/', { verb: 'unknown', word: '/' }],
])('%j is read as %j', (text, command) => {
  expect(readCommand(text)).toEqual(command)
})
