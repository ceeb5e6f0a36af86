import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMANDS_FILE, commandsDocument } from '../../scripts/list-commands.ts'
import { commandHelp, mainHelp, runHelp } from '../../src/hosts/cli/help/help.ts'
import { COMMANDS } from '../../src/hosts/entry/commands.ts'

const document = await commandsDocument()

test('docs/commands.md is what `npm run commands` writes from the flags', () => {
  expect(readFileSync(COMMANDS_FILE, 'utf8')).toBe(document)
})

test('each command has a section with a row for each of its flags', () => {
  const sections = new Map(document.split(/\n##+ /).map(text => [text.slice(0, text.indexOf('\n')), text]))
  for (const { name, flags } of COMMANDS) {
    const rows = sections.get(name)?.match(/^\| (?:`-\w`, )?`--/gm) ?? []
    expect(rows.length, name).toBe(flags.length)
  }
})

test('the help of each command fits a terminal of 80 columns', async () => {
  const each = await Promise.all(COMMANDS.map(async command => [command.name, await commandHelp(command, 80)] as const))
  const helps = [['holdpoint', mainHelp(COMMANDS, 80)], ['run', runHelp(80)], ...each] as const
  const wide = helps.flatMap(([name, text]) =>
    text.split('\n').flatMap(line => (line.length > 80 ? [`${name}: ${line}`] : [])),
  )
  expect(wide).toEqual([])
})
