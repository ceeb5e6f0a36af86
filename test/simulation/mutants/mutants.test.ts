import { expect, test } from 'vitest'
import { mutated } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

test.each(MUTANTS)('the bug "$name" can still be seeded, and changes $file', mutant => {
  expect(mutated('.', mutant)).not.toBe('')
})

test('each promise has two seeded bugs at least, each with a name of its own', () => {
  const counts = Map.groupBy(MUTANTS, ({ promise }) => promise)
  expect([...counts].filter(([, mutants]) => mutants.length < 2)).toEqual([])
  expect(counts.size).toBe(11)
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
})
