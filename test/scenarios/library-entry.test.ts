import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a module in a process of its own, beside the built library, and resolves to what it prints. */
function printedBy(source: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
}

test("import 'holdpoint' reads its own few files and no package", () => {
  const files = JSON.parse(
    printedBy(`
      import { registerHooks } from 'node:module'
      const files = []
      registerHooks({ load: (url, context, next) => (url.startsWith('file:') && files.push(url), next(url, context)) })
      await import('holdpoint')
      console.log(JSON.stringify(files))
    `),
  ) as string[]
  expect(files.length).toBeGreaterThan(1)
  expect(files.length).toBeLessThan(50)
  expect(files.filter(file => !file.includes('/dist/'))).toEqual([])
})

test('errors of the library and of its test kit are of the same classes', () => {
  const printed = printedBy(`
    import { RefusedError } from 'holdpoint'
    import { scriptedModel } from 'holdpoint/testing'
    try {
      scriptedModel([{ nonsense: true }])
    } catch (thrown) {
      console.log(thrown instanceof RefusedError, thrown.code)
    }
  `)
  expect(printed).toBe('true invalid_script\n')
})
