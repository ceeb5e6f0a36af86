import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REFUSALS } from '../../src/core/refusal-codes.ts'

const document = readFileSync('docs/errors.md', 'utf8')

test.each([
  ['thrown where it happens', 'empty_message', 'The message is empty, so nothing was sent.'],
  ['given to a helper', 'two_prompts', 'A prompt and --prompt-file were given together.'],
  ['in the rows of a table that a loop goes through', 'finish_with_more', '--finish goes with neither decisions nor a'],
  ['in a table of lists', 'hold_expired', 'The hold … was due at … and nobody had decided by then'],
  ['in a table by number, with its hint', 'store_busy', 'another process kept it locked (…). | Try again;'],
  ['in a table by code', 'model_auth', '… did not accept the API key…. | Check …. |'],
  ['known by its type alone', 'token_budget', '… of … tokens were used'],
  ['that a class has', 'lease_lost', 'Another process is advancing run … now'],
  ['given to a method', 'altered', 'Record … is not what was written'],
  ['in what a file is found to be', 'FILE_NOT_FOUND', '… does not exist.'],
  ['that a decision leads to', 'TOOL_CALL_REJECTED', '… rejected this call.'],
])('a code %s is listed: %s', (_where, code, words) => {
  const row = document.split('\n').find(line => line.startsWith(`| \`${code}\` |`))
  expect(row).toContain(words)
})

test('each error has one row in its section, in order', () => {
  for (const section of document.split('\n## ').slice(1)) {
    const codes = codesIn(section)
    expect(codes).toEqual([...new Set(codes)].toSorted())
    expect(codes.length).toBeGreaterThan(5)
  }
})

test('each code of the table of refusals is raised somewhere', () => {
  const refusals = document.split('\n## ').find(section => section.startsWith('Refusals\n')) ?? ''
  expect(codesIn(refusals)).toEqual(Object.keys(REFUSALS).toSorted())
})

function codesIn(section: string): string[] {
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code = '']) => code)
}
