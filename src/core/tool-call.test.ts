import { expect, test } from 'vitest'
import { assertMayBecome, type CallStatus, isFinal, MAY_BECOME } from './tool-call.ts'

const STATUSES = Object.keys(MAY_BECOME) as CallStatus[]

/** DESIGN §4.2, written out once more: what each status may become. */
const LEGAL: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  new: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
  running: ['suspended', 'succeeded', 'failed', 'cancelled'],
  suspended: ['resuming', 'cancelled'],
  resuming: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
}

const MOVES = STATUSES.flatMap(from => STATUSES.map(to => ({ from, to })))

test('there are seven statuses, and so 49 moves', () => {
  expect(STATUSES.toSorted()).toEqual(Object.keys(LEGAL).toSorted())
  expect(MOVES).toHaveLength(49)
})

test.each(MOVES)('from $from to $to goes as the table says', ({ from, to }) => {
  const move = () => assertMayBecome({ id: 'tc_1', status: from }, to)
  if (from === to || LEGAL[from].includes(to)) expect(move).not.toThrow()
  else {
    expect(move).toThrow(
      expect.objectContaining({ code: 'illegal_move', message: `Tool call tc_1 is ${from} and cannot become ${to}.` }),
    )
  }
})

test.each(STATUSES)('%s is final where it may become nothing else', status => {
  expect(isFinal(status)).toBe(LEGAL[status].length === 0)
})
