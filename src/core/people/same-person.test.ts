import { expect, test } from 'vitest'
import { isSamePerson } from './same-person.ts'

test.each([
  ['Ana', 'ana'],
  ['ana ', 'ana'],
  ['an\u200ba', 'ana'],
  ['ana  lee\n', 'Ana Lee'],
  ['jose\u0301', 'jos\u00e9'],
  ['ana', '\u0430n\u0430'],
  ['Ian', 'lan'],
  ['adam', 'adarn'],
  ['b0b', 'bob'],
  ['\u0397ugo', 'hugo'],
  ['paul@example.com', '\u0440aul@example.com'],
  ['agent:lead/run_1', 'agent:lead/run_2'],
  ['mcp:claude-code', 'mcp:cursor'],
])('P1: %j and %j do not count as two people', (one, other) => {
  expect(isSamePerson(one, other)).toBe(true)
})

test.each([
  ['ana', 'anna'],
  ['ana', 'ann'],
  ['\u0410\u043d\u043d\u0430', '\u0418\u043d\u043d\u0430'],
  ['agent:lead/run_1', 'lead'],
  ['ana lee', 'analee'],
  ['mcp:ana', 'ana'],
  ['agent:mcp.ana', 'mcp:ana'],
])('%j and %j are two people', (one, other) => {
  expect(isSamePerson(one, other)).toBe(false)
})
