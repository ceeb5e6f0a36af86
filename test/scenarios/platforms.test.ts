import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aProject } from './project.ts'

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
