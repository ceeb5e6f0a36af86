import { expect, test } from 'vitest'
import { treeFault } from './tree-fault.ts'

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

test.each([[1], [null], ['text'], [{ a: [1, { b: 2 }] }], [nested(100)]])('%j is a tree', value => {
  expect(treeFault(value)).toBeNull()
})

test('a value that is repeated is a tree, however often', () => {
  let value: unknown = 'ha'
  for (let level = 0; level < 60; level += 1) value = [value, value]
  expect(treeFault(value)).toBeNull()
})

test('a value within itself is none', () => {
  const list: unknown[] = [1]
  list.push(list, { list })
  expect(treeFault({ list })).toBe('refers to itself')
})

test.each([101, 5000])('%i levels are too many', depth => {
  expect(treeFault(nested(depth))).toContain('nested')
})
