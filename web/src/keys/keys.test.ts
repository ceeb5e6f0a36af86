import { expect, test } from 'vitest'
import { KEYS, type Pressed, rowOf } from './keys.ts'

const plain: Omit<Pressed, 'key'> = { isHeld: false, isOthers: false, isInField: false, isOnControl: false }

test('each key has one verb, and each verb one key', () => {
  expect(new Set(KEYS.map(({ key }) => key)).size).toBe(KEYS.length)
  expect(new Set(KEYS.map(({ verb }) => verb)).size).toBe(KEYS.length)
})

test('no key decides in a field, with the keys of the browser, or while it is held down', () => {
  expect(rowOf({ ...plain, key: 'a' })?.verb).toBe('approve')
  expect(rowOf({ ...plain, key: 'A' })?.verb).toBe('always')
  for (const state of ['isHeld', 'isOthers', 'isInField'] as const)
    expect(rowOf({ ...plain, key: 'a', [state]: true })).toBeNull()
  expect(rowOf({ ...plain, key: 'j', isHeld: true })?.verb).toBe('next')
  expect(rowOf({ ...plain, key: 'Enter', isOnControl: true })).toBeNull()
  expect([' ', 'y', '1'].map(key => rowOf({ ...plain, key }))).toEqual([null, null, null])
  expect(rowOf({ ...plain, key: 'n' })?.verb).toBe('new')
})
