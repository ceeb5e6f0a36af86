import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RULINGS, readTable, rulingOnCommand } from './commands.ts'

const { rows, policies } = readTable()

test.each(rows)('P1: under $policy: $ruling for $written ($why)', async ({ policy, command, ruling }) => {
  expect(await rulingOnCommand(policies.get(policy), command)).toBe(ruling)
})

test.each(rows)('P1: in a directory below that of the rules, under $policy, $written lets no more pass', async row => {
  const ruling = await rulingOnCommand(policies.get(row.policy), row.command, '/')
  expect(RULINGS.indexOf(ruling)).toBeGreaterThanOrEqual(RULINGS.indexOf(row.ruling))
})

test('the table has 500 commands and more, of which 150 are harmless ones under a rule about others', () => {
  expect(rows.length).toBeGreaterThanOrEqual(500)
  const harmless = rows.filter(({ policy, ruling }) => ruling === 'auto' && policy !== 'open')
  expect(harmless.length).toBeGreaterThanOrEqual(150)
  const keys = rows.map(({ policy, written }) => `${policy}: ${written}`)
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
})

test('docs/policy.md takes its examples from the table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/policy.md'), 'utf8')
  const examples = [...page.matchAll(/^\| `+ ?(.+?) ?`+ +\| (auto|ask|doubt|never) +\|/gm)]
  expect(examples.length).toBeGreaterThan(30)
  const known = new Set(rows.map(({ written, ruling }) => `${ruling}: ${written}`))
  for (const [, command = '', ruling] of examples)
    expect(known).toContain(`${ruling}: ${command.replaceAll('\\|', '|')}`)
})
