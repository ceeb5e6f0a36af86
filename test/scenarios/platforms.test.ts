import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { aProject, runInOwnProcesses } from './project.ts'

afterAll(runInOwnProcesses())

const ON_WINDOWS = ['--import', resolve(import.meta.dirname, 'on-windows.mjs')]

test('on Windows the command line says what to do, and makes nothing', async () => {
  await using project = await aProject({ script: ['Hello.'] })
  const refused = await project.run(['say hello'], { node: ON_WINDOWS })
  expect(refused).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('run it there') })
  expect(refused.stderr).toContain('Linux and macOS')
  expect(existsSync(project.path('.holdpoint'))).toBe(false)
})

test('on Windows the library refuses with a code of its own', () => {
  const source = `
    import { openHoldpoint } from 'holdpoint'
    await openHoldpoint({ store: 'memory:' }).catch(thrown => console.log(thrown.code))
  `
  const args = [...ON_WINDOWS, '--input-type=module', '--eval', source]
  const printed = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
  expect(printed).toBe('unsupported_platform\n')
})

test('on an older Node the library refuses in words that name the one that it needs', () => {
  const source = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
    const { openHoldpoint } = await import('holdpoint')
    await openHoldpoint({ store: 'memory:' }).catch(thrown => console.log(thrown.code, thrown.message))
  `
  const args = ['--input-type=module', '--eval', source]
  const printed = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
  expect(printed).toContain('unsupported_platform Node 24 or newer is needed; this is v20.20.2.')
})
