import { expect, test } from 'vitest'
import type { Io } from '../process/io.ts'
import { paintFor } from './screen.ts'

const io = (isTerminal: boolean): Io => ({
  out: () => {},
  err: () => {},
  isTerminal,
  isErrTerminal: isTerminal,
  width: () => 80,
  height: () => 24,
  hasSize: () => isTerminal,
  unread: new AbortController().signal,
})

test.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['a terminal and NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['a terminal and an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['a pipe and FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
  ['a terminal and FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ['FORCE_COLOR before NO_COLOR', true, { FORCE_COLOR: '', NO_COLOR: '1' }, true],
  ['a terminal without any', true, { TERM: 'dumb' }, false],
])('colours for %s', (_what, isTerminal, env, coloured) => {
  const painted = paintFor({ io: io(isTerminal), env })('red', 'late')
  expect(painted).toBe(coloured ? '\u001b[31mlate\u001b[39m' : 'late')
})
