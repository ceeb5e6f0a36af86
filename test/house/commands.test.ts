import { expect, test } from 'vitest'
import { commandsDocument } from '../../scripts/list-commands.ts'
import { commandHelp, mainHelp, runHelp } from '../../src/hosts/cli/help/help.ts'
import { COMMANDS } from '../../src/hosts/entry/commands.ts'
import { DECIDING_COMMANDS } from '../../src/hosts/entry/deciding-commands.ts'
import { textMayDecide } from '../../src/tools/read-command/files/own-records.ts'

const document = await commandsDocument()

test('each command has a section with a row for each of its flags', () => {
  const sections = new Map(document.split(/\n##+ /).map(text => [text.slice(0, text.indexOf('\n')), text]))
  for (const { name, flags } of COMMANDS) {
    const rows = sections.get(name)?.match(/^\| (?:`-\w`, )?`--/gm) ?? []
    expect(rows.length, name).toBe(flags.length)
  }
})

const deciding = DECIDING_COMMANDS.filter(({ group }) => group === 'decide')

test.each(deciding.map(({ name }) => name))('P1: policy knows that `holdpoint %s` may decide', name => {
  expect(textMayDecide(`holdpoint ${name} it`)).toBe(true)
  expect(textMayDecide('holdpoint holds')).toBe(false)
})

test('the help of each command fits a terminal of 80 columns', async () => {
  const each = await Promise.all(COMMANDS.map(async command => [command.name, await commandHelp(command, 80)] as const))
  const helps = [['holdpoint', mainHelp(COMMANDS, 80)], ['run', runHelp(80)], ...each] as const
  const wide = helps.flatMap(([name, text]) =>
    text.split('\n').flatMap(line => (line.length > 80 ? [`${name}: ${line}`] : [])),
  )
  expect(wide).toEqual([])
})
