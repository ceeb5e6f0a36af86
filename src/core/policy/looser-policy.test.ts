import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mayLetMorePass } from './looser-policy.ts'
import { type Policy, type PolicyQuestion, rule, STRICTNESS, type Verdict } from './policy.ts'

const BEFORE: Policy = {
  default: 'prompt',
  tools: { read: 'auto', drop: 'never', 'de*': 'prompt' },
  rules: [
    { tool: 'run', match: { command: 'git status*' }, policy: 'auto' },
    { tool: 'run', match: { command: 'rm *' }, policy: 'never' },
  ],
  on_never: 'pause',
}
const [STATUS, REMOVE] = BEFORE.rules as [Policy['rules'][0], Policy['rules'][0]]

const EFFECTS = { write: ['src/**'], delete: [], never: ['.env'], hosts: [], git: 'ask', drift: 'ask' } as const

const NARROWER: readonly (readonly [what: string, after: Policy])[] = [
  ['the same', BEFORE],
  ['the same in another order', { ...BEFORE, rules: [REMOVE, STATUS] }],
  ['a stricter default', { ...BEFORE, default: 'never' }],
  ['never without asking', { ...BEFORE, on_never: 'reject' }],
  ['one tool less that runs unasked', { ...BEFORE, tools: { drop: 'never', 'de*': 'prompt' } }],
  ['a tool that is forbidden', { ...BEFORE, tools: { ...BEFORE.tools, write: 'never' } }],
  ['a tool that is forbidden instead of asked about', { ...BEFORE, tools: { ...BEFORE.tools, 'de*': 'never' } }],
  ['one rule less that permits', { ...BEFORE, rules: [REMOVE] }],
  ['a rule that forbids', { ...BEFORE, rules: [...BEFORE.rules, { ...REMOVE, match: { command: 'dd *' } }] }],
]

test.each(NARROWER)('a policy with %s lets nothing more pass', (_what, after) => {
  expect(mayLetMorePass(BEFORE, after)).toBe(false)
})

const LOOSER: readonly (readonly [what: string, after: Policy])[] = [
  ['a looser default', { ...BEFORE, default: 'auto' }],
  ['one more tool that runs unasked', { ...BEFORE, tools: { ...BEFORE.tools, write: 'auto' } }],
  ['one tool less that is forbidden', { ...BEFORE, tools: { read: 'auto', 'de*': 'prompt' } }],
  ['a tool that is asked about instead of forbidden', { ...BEFORE, tools: { ...BEFORE.tools, drop: 'prompt' } }],
  ['a name that outranks what forbids', { ...BEFORE, tools: { ...BEFORE.tools, drop_all: 'prompt' } }],
  ['one rule less that forbids', { ...BEFORE, rules: [STATUS] }],
  ['one more rule that permits', { ...BEFORE, rules: [...BEFORE.rules, { ...STATUS, match: { command: 'ls*' } }] }],
  ['one more tool that runs in a box', { ...BEFORE, tools: { ...BEFORE.tools, write: 'box' } }],
  ['a tool in a box that was asked about', { ...BEFORE, tools: { ...BEFORE.tools, 'de*': 'box' } }],
  ['rules on effects', { ...BEFORE, effects: EFFECTS }],
  ['a rule with a wider pattern', { ...BEFORE, rules: [{ ...STATUS, match: { command: 'git *' } }, REMOVE] }],
]

test.each(LOOSER)('P1: a policy with %s may let more pass', (_what, after) => {
  expect(mayLetMorePass(BEFORE, after)).toBe(true)
})

test('P1: to observe in place of asking is more, and to ask again is not', () => {
  expect(mayLetMorePass(BEFORE, { ...BEFORE, mode: 'observe' })).toBe(true)
  expect(mayLetMorePass({ ...BEFORE, mode: 'observe' }, BEFORE)).toBe(false)
})

test('P1: to ask a person about what was refused at once, is more', () => {
  expect(mayLetMorePass({ ...BEFORE, on_never: 'reject' }, BEFORE)).toBe(true)
})

const verdict = fc.constantFrom<Verdict>('auto', 'box', 'prompt', 'never')
const pattern = fc.constantFrom('x', 'xy', 'z', 'x*', '*y', '*')
const policy: fc.Arbitrary<Policy> = fc
  .record({
    default: verdict,
    tools: fc.dictionary(pattern, verdict, { maxKeys: 4 }),
    rules: fc.array(
      fc.record({ tool: pattern, match: fc.record({ a: fc.constantFrom('1', '1*', '*') }), policy: verdict }),
      { maxLength: 3 },
    ),
    on_never: fc.constantFrom('pause', 'reject'),
    effects: fc.constantFrom(undefined, EFFECTS),
  })
  .map(({ effects, ...made }) => ({ ...made, ...(effects && { effects }) }))
const question: fc.Arbitrary<PolicyQuestion> = fc
  .record({
    tool: fc.constantFrom('x', 'xy', 'z', 'zy', 'w'),
    same: fc.option(fc.constantFrom('x', 'xy', 'z')),
    a: fc.constantFrom('1', '12', '2'),
    among: fc.array(fc.constantFrom('1', '12', '2'), { maxLength: 2 }),
    unclear: fc.option(fc.constant('it cannot be read')),
    no_box: fc.constantFrom(null, undefined, 'it is off'),
    guarded: fc.option(fc.constant('it writes records')),
    needs_approval: fc.option(fc.boolean()),
  })
  .map(({ tool, same, a, among, unclear, guarded, no_box, needs_approval }) => ({
    tool,
    ...(same !== null && { same_as: same }),
    arguments: { a },
    facts: {
      readings: { a: { as: a, among: [a, ...among] } },
      unclear,
      protected: guarded,
      ...(no_box !== undefined && { no_box }),
    },
    needs_approval,
  }))

/** One change makes a narrower policy likely. */
const changed = (before: Policy): fc.Arbitrary<Policy> =>
  policy.map(other => ({
    ...before,
    default: other.default,
    ...(other.effects && { effects: other.effects }),
    tools: { ...before.tools, ...Object.fromEntries(Object.entries(other.tools).slice(0, 1)) },
    rules: [...before.rules.slice(other.rules.length % 2), ...other.rules.slice(0, 1)],
  }))

test('P1: no call is judged more mildly by a policy of which it is certain that it lets nothing more pass', () => {
  let compared = 0
  fc.assert(
    fc.property(
      policy.chain(before => fc.tuple(fc.constant(before), changed(before))),
      fc.array(question),
      (pair, asked) => {
        const [before, after] = pair
        if (mayLetMorePass(before, after)) return
        compared += 1
        for (const each of asked) {
          const [was, is] = [rule(before, each).verdict, rule(after, each).verdict]
          expect(STRICTNESS[is], JSON.stringify(each)).toBeGreaterThanOrEqual(STRICTNESS[was])
        }
      },
    ),
    { numRuns: 3000 },
  )
  expect(compared).toBeGreaterThan(100)
})
