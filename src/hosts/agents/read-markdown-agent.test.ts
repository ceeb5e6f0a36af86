import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StopCondition } from '../../core/run/stop-condition.ts'
import type { AgentDefinition } from './define-agent.ts'
import { readMarkdownAgent } from './read-markdown-agent.ts'

async function read(text: string): Promise<AgentDefinition> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdpoint-agent-'))
  const file = join(directory.path, 'careful.md')
  await writeFile(file, text)
  return await readMarkdownAgent(file)
}

/** An agent whose front matter is this. */
const having = (head: string) => read(`---\n${head}\n---\nBe careful.\n`)

const ALL = `stop:
  - { type: max_rounds, rounds: 20 }
  - { type: timeout, seconds: 600 }
  - { type: token_budget, max_total: 100000 }
  - { type: consecutive_errors, max: 3 }
  - { type: stop_on_tool, tool_name: submit }
  - type: content_match
    pattern: ^DONE\\b
  - type: loop_detection
    window: 4`

const conditions: readonly StopCondition[] = [
  { type: 'max_rounds', rounds: 20 },
  { type: 'timeout', seconds: 600 },
  { type: 'token_budget', max_total: 100_000 },
  { type: 'consecutive_errors', max: 3 },
  { type: 'stop_on_tool', tool_name: 'submit' },
  { type: 'content_match', pattern: '^DONE\\b' },
  { type: 'loop_detection', window: 4 },
]

test('all seven stop conditions can be written in front matter, in their order', async () => {
  expect((await having(ALL)).stop).toEqual(conditions)
})

test('front matter with Windows line ends reads the same', async () => {
  const agent = await read(`---\n${ALL}\n---\nBe\ncareful.\n`.replaceAll('\n', '\r\n'))
  expect(agent).toMatchObject({ stop: conditions, instructions: 'Be\r\ncareful.' })
})

test.each(['stop:', 'stop: []', 'name: other'])('%j stops on nothing', async head => {
  expect((await having(head)).stop).toEqual([])
})

const says = (problem: string) => `The agent "careful" cannot be used: ${problem}.`
const none = (what: string) =>
  says(`a stop condition has a type and what that needs, like { type: max_rounds, rounds: 20 }; ${what} is none`)

const BROKEN: readonly (readonly [head: string, message: string])[] = [
  ['stop: max_rounds', says('what it stops on must be a list of stop conditions')],
  ['stop: { type: max_rounds, rounds: 2 }', says('what it stops on must be a list of stop conditions')],
  ['stop: [max_rounds]', none('"max_rounds"')],
  ['stop:\n  -', none('null')],
  ['stop:\n  - max_rounds: 3', none('one with max_rounds alone')],
  [
    'stop: [{ type: boredom }]',
    says(
      'it stops on "boredom"; possible: max_rounds, timeout, token_budget, budget, consecutive_errors, stop_on_tool, content_match, loop_detection, max_pauses',
    ),
  ],
  ['stop: [{ type: max_rounds }]', says('max_rounds needs rounds, a whole number from 1, not undefined')],
  ['stop: [{ type: max_rounds, rounds: "3" }]', says('max_rounds needs rounds, a whole number from 1, not "3"')],
  ['stop: [{ type: timeout, seconds: .inf }]', says('timeout needs seconds, a number above 0, not Infinity')],
  ['stop: [{ type: timeout, seconds: 1h }]', says('timeout needs seconds, a number above 0, not "1h"')],
  ['stop: [{ type: token_budget, max_total: 0 }]', says('token_budget needs max_total, a whole number from 1, not 0')],
  [
    'stop: [{ type: consecutive_errors, max: no }]',
    says('consecutive_errors needs max, a whole number from 1, not "no"'),
  ],
  ['stop: [{ type: stop_on_tool, tool_name: }]', says('stop_on_tool needs tool_name, the name of a tool, not null')],
  [
    'stop: [{ type: content_match, pattern: "(" }]',
    says('content_match needs pattern, a regular expression as JavaScript reads it with the flag u, not "("'),
  ],
  ['stop: [{ type: loop_detection, window: 1 }]', says('loop_detection needs window, a whole number from 2, not 1')],
  ['stop: [{ type: timeout, seconds: 1, minutes: 1 }]', says('timeout takes seconds and lifetime, not "minutes"')],
  ['pause_on: approval', says('what it pauses on must be a list of approval, input, question')],
  ['pause_on: [approval, ""]', says('it pauses on ""; possible: approval, input, question')],
  ['hold_scope: never', says('its hold scope is "never"; possible: call, batch')],
]

test.each(BROKEN)('%j is refused with words that help', async (head, message) => {
  await expect(having(head)).rejects.toMatchObject({ code: 'invalid_agent', message })
})

test('of two conditions that are wrong the first is told', async () => {
  await expect(having('stop: [{ type: timeout, seconds: 1 }, { type: a }, { type: b }]')).rejects.toThrow('"a"')
})

test('three dashes at the end of a line of front matter do not end it', async () => {
  const agent = await having('stop:\n  - type: content_match\n    pattern: over ---\npause_on: [input]')
  expect(agent).toMatchObject({
    stop: [{ type: 'content_match', pattern: 'over ---' }],
    pauseOn: ['input'],
    instructions: 'Be careful.',
  })
})

test.each([
  ['---\n---\nBe careful.', 'Be careful.'],
  ['---\n---', ''],
  ['--- \nhold_scope: call\n---\t\nBe careful.\n\n---\n\nOr not.', 'Be careful.\n\n---\n\nOr not.'],
  ['Be careful.\n\n---\n\nOr not.', 'Be careful.\n\n---\n\nOr not.'],
  ['----\nBe careful.', '----\nBe careful.'],
])('the instructions of %j are %j', async (text, instructions) => {
  expect((await read(text)).instructions).toBe(instructions)
})

test('a byte order mark does not hide the front matter', async () => {
  expect(await read('\uFEFF---\nname: other\npolicy: { default: never }\n---\nBe careful.')).toMatchObject({
    name: 'other',
    policy: { default: 'never' },
    instructions: 'Be careful.',
  })
})

test.each(['---\npolicy: { default: never }\n\nBe careful.', '---', '---\nstop: []\n----\nBe careful.'])(
  'front matter that does not end is refused, and not taken for instructions: %j',
  async text => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'invalid_agent',
      message: expect.stringMatching(
        /careful\.md cannot be used: its front matter begins with a line --- but does not/,
      ),
    })
  },
)
