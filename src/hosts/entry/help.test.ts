import { expect, test } from 'vitest'
import { commandHelp, mainHelp, runHelp } from '../cli/help/help.ts'
import { RUN_FLAGS } from '../command/flags.ts'
import { COMMANDS } from './commands.ts'

const WIDTHS = [60, 80, 120]

/** Lines of more than `width` columns, beside commands: those are copied, so they are never broken. */
function wide(text: string, width: number): string[] {
  return text.split('\n').filter(line => line.length > width && !/^ {2}.*holdpoint /.test(line))
}

test.each(WIDTHS)('the first help fits into %i columns', width => {
  expect(wide(mainHelp(COMMANDS, width), width)).toEqual([])
})

test('the first help is one and a half screens, and names every command and every option of a run', () => {
  const text = mainHelp(COMMANDS, 80)
  expect(text.split('\n').length).toBeLessThanOrEqual(67)
  for (const { name, summary } of COMMANDS) expect(text).toContain(`  ${name.padEnd(13)}  ${summary}\n`)
  for (const { name } of RUN_FLAGS) expect(text).toContain(`--${name}`)
})

test.each(WIDTHS)('all options of a run are explained in %i columns', width => {
  const text = runHelp(width)
  expect(wide(text, width)).toEqual([])
  for (const { name, help } of RUN_FLAGS) {
    expect(text).toContain(`--${name}`)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(help)
  }
})

test.each(COMMANDS.map(command => [command.name, command] as const))('the help of %s fits', async (name, command) => {
  for (const width of WIDTHS) {
    const text = await commandHelp(command, width)
    expect(text).toMatch(new RegExp(`^holdpoint ${name}: `))
    expect(wide(text, width)).toEqual([])
    for (const flag of command.flags) expect(text).toContain(`--${flag.name}`)
  }
})

test('no text of a command holds line breaks: it is wrapped when it is shown', async () => {
  for (const command of COMMANDS) {
    const { about, examples } = await command.text()
    for (const block of about) if (typeof block === 'string') expect(block).not.toMatch(/\n| {2}/)
    for (const [line, purpose] of examples) expect(`${line}${purpose}`).not.toContain('\n')
  }
})
