/** The harness itself shows what a person would see. */
import { describe, expect, test } from 'vitest'
import { aProject } from '../project.ts'
import { HAS_TERMINAL, inTerminal, masked } from './pseudo-terminal.ts'

describe.skipIf(!HAS_TERMINAL)('the screen of a terminal', () => {
  const LONG = `${'word '.repeat(30)}end`

  test.each([80, 120])('programs are told of its %d columns', async columns => {
    await using project = await aProject()
    const { screen } = await inTerminal(project, ['--version'], { columns, redirect: '> version.txt; stty size' })
    expect(screen).toBe(`24 ${columns}\n`)
  })

  test('a long line goes on in the next row', async () => {
    await using project = await aProject({ script: [LONG] })
    const { screen } = await inTerminal(project, ['-a', '-q', 'go'], {
      columns: 100,
      redirect: '> out.txt; cat out.txt',
    })
    expect(screen).toBe(`${LONG.slice(0, 100).trimEnd()}\n${LONG.slice(100)}\n`)
  })

  test('what one program writes elsewhere is not on it', async () => {
    await using project = await aProject({ script: [LONG] })
    const { exit, screen } = await inTerminal(project, ['-a', '-q', 'go'], { redirect: '> out.txt 2>&1' })
    expect([exit, screen, await project.read('out.txt')]).toEqual([0, '\n', `${LONG}\n`])
  })

  test('ids and times are masked in place', () => {
    expect(masked('run_0123456789abcdef  2030-01-31T12:00:00.000Z  tc_1')).toBe(
      'run_xxxxxxxxxxxxxxxx  xxxx-xx-xxxxx:xx:xx.xxxx  tc_1',
    )
  })
})
