import { expect, test } from 'vitest'
import { CODE, read } from './citations.ts'

test("no production file makes directories in Node's recursive way, which never ends below /proc", () => {
  const files = CODE.filter(
    file => file.startsWith('src/') && !file.endsWith('.test.ts') && !file.startsWith('src/testing/'),
  )
  expect(files.length).toBeGreaterThan(400)
  expect(files.filter(file => /\bmkdir(Sync)?\([^)]*recursive/.test(read(file).text))).toEqual([])
})
