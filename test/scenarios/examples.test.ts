import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('P2: the library example waits, tells the second decider who was first, and finishes', () => {
  const lines = execFileSync(process.execPath, ['examples/library.ts'], { encoding: 'utf8' }).trimEnd().split('\n')
  expect(lines.slice(0, 3)).toEqual(['waiting', 'refund {"order":"7","amount":250}', 'recorded, already_decided'])
  expect(lines[3]).toMatch(/^Done: paid 250 for 7 \(th_\w{16}\/call_1\)$/)
})
