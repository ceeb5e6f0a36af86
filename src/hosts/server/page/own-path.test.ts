import { expect, test } from 'vitest'
import { ownPath } from './own-path.ts'

test.each([
  ['/holds/hold_1?x=1', '/holds/hold_1?x=1'],
  ['/', '/'],
  ['', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example/x', '/'],
  ['javascript:alert(1)', '/'],
  ['/.//evil.example/x', '/evil.example/x'],
  ['/a/..//evil.example', '/evil.example'],
  ['/.///evil.example', '/evil.example'],
  ['/%2e//evil.example', '/evil.example'],
  ['http://page.invalid//evil.example', '/evil.example'],
  ['/\t/evil.example', '/'],
])('P1: from %j a browser goes to %j, and to no other site', (next, path) => {
  expect(ownPath(next)).toBe(path)
  expect(new URL(path, 'https://holds.example').origin).toBe('https://holds.example')
})
