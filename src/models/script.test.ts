import { expect, test } from 'vitest'
import { asScript } from './script.ts'

test('every key of a turn is known, and a text is a turn', () => {
  const script = [
    {
      text: 'a',
      calls: [
        { id: 'x', name: 'refund', args: { amount: 1 } },
        { name: 'refund', raw_args: '{broken' },
      ],
      usage: { input: 1, output: 2 },
      delay_ms: 5,
      error: { message: 'no', retryable: true, times: 1 },
    },
    { calls: [] },
    {},
    'b',
  ]
  expect(asScript(script, 'here')).toBe(script)
})

const REFUSED: [string, unknown, string][] = [
  ['an object', { turns: [] }, 'it is an object, not a list of turns'],
  ['nothing', null, 'it is empty, not a list of turns'],
  ['a turn that is a number', ['a', 7], 'turn 2 is 7, not an object'],
  [
    'a misspelt key',
    [{ txt: 'a' }],
    'turn 1 has an unknown key "txt"; known: text, calls, usage, finish_reason, delay_ms, error',
  ],
  ['a text that is none', [{ text: 7 }], 'turn 1, text is 7, not a text'],
  ['calls that are no list', [{ calls: { name: 'a' } }], 'turn 1, calls is an object, not a list'],
  ['a call without a name', [{ calls: [{ id: 'a' }] }], 'turn 1, calls[0] has no name'],
  ['a call with a blank name', [{ calls: [{ name: ' ' }] }], 'turn 1, calls[0], name is " ", not a name'],
  [
    'args that are no object',
    [{ calls: [{ name: 'a', args: 'ls' }] }],
    'turn 1, calls[0], args is "ls", not an object',
  ],
  [
    'both kinds of args',
    [{ calls: [{ name: 'a', args: {}, raw_args: '' }] }],
    'turn 1, calls[0] has both args and raw_args; give one',
  ],
  [
    'a misspelt key in a call',
    [{ calls: [{ name: 'a', arguments: {} }] }],
    'turn 1, calls[0] has an unknown key "arguments"; known: id, name, args, raw_args',
  ],
  ['a negative delay', [{ delay_ms: -1 }], 'turn 1, delay_ms is -1, not a whole number, 0 or more'],
  [
    'a usage that is no number',
    [{ usage: { input: 'many' } }],
    'turn 1, usage, input is "many", not a whole number, 0 or more',
  ],
  ['an error without a message', [{ error: { retryable: true } }], 'turn 1, error has no message'],
]
test.each(REFUSED)('%s is refused with its place', (_name, value, fault) => {
  expect(() => asScript(value, 'deploy.yaml')).toThrow(
    expect.objectContaining({
      code: 'invalid_script',
      message: `The script deploy.yaml cannot be used: ${fault}.`,
      hint: expect.stringContaining('A script is a list'),
    }),
  )
})
