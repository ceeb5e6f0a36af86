import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
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

test('a rule of holdpoint/stores refuses with a class of the library', () => {
  const printed = printedBy(`
    import { RefusedError } from 'holdpoint'
    import { objectionToClaim } from 'holdpoint/stores'
    const lease = { owner: 'one', until: '2030-01-01T00:00:10.000Z' }
    const terms = { decides: false, now: Date.parse('2030-01-01T00:00:00.000Z') }
    console.log(objectionToClaim({ status: 'running', exported: null, lease }, terms).outcome)
    try {
      objectionToClaim({ status: 'waiting', exported: { run_id: 'run_1' }, lease: null }, terms)
    } catch (thrown) {
      console.log(thrown instanceof RefusedError, thrown.code)
    }
  `)
  expect(printed).toBe('busy\ntrue exported\n')
})

test('holdpoint/stores exports each rule that a store here applies, and no more', () => {
  const exported = printedBy(`
    import * as rules from 'holdpoint/stores'
    console.log(Object.keys(rules).join())
  `)
  const sources = globSync('src/stores/**/*.ts', { exclude: ['**/*.test.ts'] })
  const applied = sources.flatMap(source => valuesFromCore(readFileSync(source, 'utf8')))
  // The library exports the errors. The text of a cause or a time, a guessed word, how directories are made and the words that
  // a column may have are no rules.
  const others = [
    'FINAL_ACTIONS',
    'GRANT_SCOPES',
    'HOLD_KINDS',
    'HOLD_STATUSES',
    'ON_DUE',
    'RESUME_MODES',
    'RISKS',
    'ROLES',
    'RUN_STATUSES',
    'TASK_STATUSES',
    'VERDICTS',
    'isJsonObject',
    'HoldpointError',
    'LeaseLostError',
    'RefusedError',
    'isoTime',
    'makeDirectories',
    'messageOf',
    'nearestWord',
    'refused',
  ]
  const rules = new Set(applied.filter(name => !others.includes(name)))
  expect(exported.trim().split(',').toSorted()).toEqual([...rules].toSorted())
})

function valuesFromCore(source: string): string[] {
  return [...source.matchAll(/^import \{([^}]+)\} from '[./]+core\//gm)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '' && !name.startsWith('type ')),
  )
}
