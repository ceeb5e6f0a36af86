import { expect, test } from 'vitest'
import { buildFaults } from './build-faults.ts'
import { type Mutant, mutated } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const ROOT = process.cwd()

test.each(MUTANTS)('the bug "$name" can still be seeded, and changes $file', mutant => {
  expect(mutated(ROOT, mutant)).not.toBe('')
})

test('the code builds with each of the bugs in it', () => {
  expect([...buildFaults(ROOT, MUTANTS)].map(([{ name }, fault]) => `${name}: ${fault}`)).toEqual([])
})

test('a bug that does not build is told with what the compiler says of it', () => {
  const [mutant] = MUTANTS as readonly [Mutant]
  const unused = { ...mutant, to: 'return STRICTNESS.auto === 0 ? null : null' }
  const broken = { ...mutant, to: 'return {' }
  const faults = buildFaults(ROOT, [mutant, unused, broken])
  expect(faults.get(mutant)).toBeUndefined()
  expect(faults.get(unused)).toMatch(/is not assignable to type 'BeforeToolExecute/)
  expect(faults.get(broken)).toMatch(/expected/)
})

test('each promise has two seeded bugs at least, each with a name of its own', () => {
  const counts = Map.groupBy(MUTANTS, ({ promise }) => promise)
  expect([...counts].filter(([, mutants]) => mutants.length < 2)).toEqual([])
  expect(counts.size).toBe(11)
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
})
