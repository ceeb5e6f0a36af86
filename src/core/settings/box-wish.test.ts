import { expect, test } from 'vitest'
import type { Json } from '../text/json.ts'
import { NO_BOX_WISH, readBoxWish } from './box-wish.ts'

test('what is left out stays as each box has it', () => {
  expect(readBoxWish({})).toEqual(NO_BOX_WISH)
  expect(readBoxWish({ use: 'require', keys: ['.vault'], limits: { processes: 64 } })).toEqual({
    ...NO_BOX_WISH,
    use: 'require',
    keys: ['.vault'],
    limits: { processes: 64 },
  })
})

const FAULTS: readonly [Json, string][] = [
  ['off', 'box must be an object'],
  [{ use: 'never' }, 'box.use must be one of auto, off, require'],
  [{ use: true }, 'box.use must be one of'],
  [{ home: '.nvm' }, 'box.home must be a list of paths'],
  [{ keys: [1] }, 'box.keys must be a list of paths'],
  [{ caches: [' '] }, 'box.caches must be a list of paths'],
  [{ limits: [] }, 'box.limits must be an object'],
  [{ limits: { processes: 0 } }, 'box.limits.processes must be a whole number from 1'],
  [{ limits: { file_bytes: '2 GB' } }, 'box.limits.file_bytes must be a whole number from 1'],
  [{ limits: { memory: 1 } }, 'box.limits.memory: known keys are processes, file_bytes'],
  [{ network: 'on' }, 'box.network: known keys are use, home, caches, keys, limits'],
]
test.each(FAULTS)('%j is refused with its place', (written, words) => {
  expect(() => readBoxWish(written)).toThrow(words)
})
