import { globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { patienceMs } from '../patience.ts'
import { syntaxFaults } from './check-syntax.ts'
import { typeFaults } from './check-types.ts'
import { playPage } from './play-page.ts'
import { snippetsOf } from './snippets.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-pages-')))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))

// The pages of the API are made from types that the compiler has checked.
const paths = globSync('docs/**/*.md').filter(path => !path.startsWith('docs/api/'))
const pages = ['README.md', ...paths.toSorted()].map(page => ({ page, snippets: snippetsOf(page) }))
const all = pages.flatMap(({ snippets }) => snippets)
const played = pages.filter(({ snippets }) => snippets.some(({ notRun }) => notRun === null))

test.each(played)(
  'a reader of $page who does what it says, in an empty directory, gets what it says',
  {
    timeout: 6 * patienceMs(),
  },
  async ({ page, snippets }) => {
    await playPage(snippets, join(root, page))
  },
)

test('every snippet can be read as what it is, and its programs fit the types of the package', {
  timeout: 6 * patienceMs(),
}, () => {
  expect(all.length).toBeGreaterThan(40)
  expect([...all.flatMap(syntaxFaults), ...typeFaults(all, join(root, 'types'))]).toEqual([])
})

test('few snippets are not run, each for a reason', () => {
  const left = all.filter(({ notRun }) => notRun !== null)
  expect(left.filter(({ notRun }) => !notRun || notRun.length < 10)).toEqual([])
  expect(left.length).toBeLessThan(all.length / 4)
})
