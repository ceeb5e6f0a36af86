import { expect, test } from 'vitest'
import { factLines } from './show.ts'

test('a fact is broken beside its name, and a word that does not fit there stands below', () => {
  const facts = { run: 'run_1', votes: null, due: 'never: it waits long', digest: '1234567890123456' }
  expect(factLines(facts, 20, name => name)).toEqual([
    'run     run_1',
    'due     never: it',
    '        waits long',
    'digest',
    '    1234567890123456',
  ])
})
