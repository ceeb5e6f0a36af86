import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMANDS_FILE, commandsDocument } from '../../scripts/list-commands.ts'
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
