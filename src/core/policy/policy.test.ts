import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../text/json.ts'
import {
  type CallFacts,
  NO_FACTS,
  type Policy,
  type PolicyQuestion,
  type PolicyRule,
  rule,
  type Verdict,
} from './policy.ts'
import { readPolicy } from './read-policy.ts'

const VERDICTS: readonly Verdict[] = ['auto', 'box', 'prompt', 'never']
const STRICTNESS: Record<Verdict, number> = { auto: 0, box: 1, prompt: 2, never: 3 }

function aPolicy(document: JsonObject): Policy {
  return readPolicy(document, 'test')
}

function ask(tool: string, changes: Partial<PolicyQuestion> = {}): PolicyQuestion {
  return { tool, arguments: {}, facts: NO_FACTS, needs_approval: null, ...changes }
}

const rules = (...entries: readonly (readonly [tool: string, match: JsonObject, policy: Verdict])[]): Json =>
  entries.map(([tool, match, policy]) => ({ tool, match, policy }))

const RANKED: readonly (readonly [what: string, document: JsonObject, question: PolicyQuestion, verdict: Verdict])[] = [
  ['nothing is said', {}, ask('deploy'), 'prompt'],
  ['only the default is said', { default: 'auto' }, ask('deploy'), 'auto'],
  ['a glob is over the default', { default: 'auto', tools: { 'dep*': 'prompt' } }, ask('deploy'), 'prompt'],
  ['an exact name is over a glob', { tools: { 'dep*': 'never', deploy: 'auto' } }, ask('deploy'), 'auto'],
  [
    'a rule with a match is over an exact name',
    { tools: { deploy: 'never' }, rules: rules(['deploy', { to: 'test*' }, 'auto']) },
    ask('deploy', { arguments: { to: 'testing' } }),
    'auto',
  ],
  [
    'a rule that does not match says nothing',
    { tools: { deploy: 'never' }, rules: rules(['deploy', { to: 'test*' }, 'auto']) },
    ask('deploy', { arguments: { to: 'production' } }),
    'never',
  ],
  ['of two globs the stricter one counts', { tools: { 'dep*': 'auto', '*loy': 'prompt' } }, ask('deploy'), 'prompt'],
  [
    'of two rules the stricter one counts',
    { rules: rules(['deploy', { to: '*' }, 'auto'], ['dep*', { to: 'prod*' }, 'never']) },
    ask('deploy', { arguments: { to: 'production' } }),
    'never',
  ],
  ['names are compared whole', { tools: { deploy: 'auto' } }, ask('deployment'), 'prompt'],
  [
    'a tool of a server does not have the rule of its name',
    { tools: { deploy: 'auto' } },
    ask('server__deploy'),
    'prompt',
  ],
  ['a tool does not have the rule of a server’s', { tools: { server__deploy: 'auto' } }, ask('deploy'), 'prompt'],
  ['a tool of a server has its own', { tools: { server__deploy: 'auto' } }, ask('server__deploy'), 'auto'],
  ['a whole server has a glob', { tools: { 'server__*': 'auto' } }, ask('server__deploy'), 'auto'],
  ['case counts', { tools: { deploy: 'auto' } }, ask('Deploy'), 'prompt'],
  ['a name of the language says nothing', { tools: { deploy: 'auto' } }, ask('toString'), 'prompt'],
  ['the tool’s own word is over the default', { default: 'prompt' }, ask('deploy', { needs_approval: false }), 'auto'],
  [
    'the tool’s own word asks over a default that lets pass',
    { default: 'auto' },
    ask('deploy', { needs_approval: true }),
    'prompt',
  ],
  ['the tool’s own word does not lift never', { default: 'never' }, ask('deploy', { needs_approval: false }), 'never'],
  [
    'a name is over the tool’s own word',
    { tools: { deploy: 'auto' } },
    ask('deploy', { needs_approval: true }),
    'auto',
  ],
  [
    'what cannot be read asks',
    { default: 'auto' },
    ask('deploy', { facts: { ...NO_FACTS, unclear: 'odd' } }),
    'prompt',
  ],
  [
    'what cannot be read stays forbidden',
    { default: 'never' },
    ask('deploy', { facts: { ...NO_FACTS, unclear: 'odd' } }),
    'never',
  ],
  [
    'what is protected asks',
    { default: 'auto' },
    ask('deploy', { facts: { ...NO_FACTS, protected: 'kept' } }),
    'prompt',
  ],
  [
    'what is protected stays forbidden',
    { default: 'never' },
    ask('deploy', { facts: { ...NO_FACTS, protected: 'kept' } }),
    'never',
  ],
]

test.each(RANKED)('%s', (_what, document, question, verdict) => {
  expect(rule(aPolicy(document), question).verdict).toBe(verdict)
})

const MATCHED: readonly (readonly [what: string, match: JsonObject, args: JsonObject, matches: boolean])[] = [
  ['text', { to: 'a*' }, { to: 'abc' }, true],
  ['text that is not all of it', { to: 'a' }, { to: 'abc' }, false],
  ['several arguments', { to: 'a*', how: 'fast' }, { to: 'abc', how: 'fast' }, true],
  ['several arguments of which one differs', { to: 'a*', how: 'fast' }, { to: 'abc', how: 'slow' }, false],
  ['an argument that is not there', { to: '*' }, {}, false],
  ['an argument of the language’s own', { toString: '*' }, {}, false],
  ['a number, as JSON', { amount: '1*' }, { amount: 100 }, true],
  ['an object, as JSON', { what: '{"a":*' }, { what: { a: 1 } }, true],
  ['null, as JSON', { what: 'null' }, { what: null }, true],
]

test.each(MATCHED)('a match compares %s', (_what, match, args, matches) => {
  const policy = aPolicy({ default: 'never', rules: rules(['deploy', match, 'auto']) })
  expect(rule(policy, ask('deploy', { arguments: args })).verdict).toBe(matches ? 'auto' : 'never')
})

/** As a tool may tell of its argument: one text that permits, several that may forbid. */
function reading(as: string | null, ...among: string[]): CallFacts {
  return { ...NO_FACTS, readings: { command: { as, among } } }
}

test('P1: what restricts a tool restricts one that does the same, unless it is named itself; what permits it does not', () => {
  const same = ask('run_command_task', { same_as: 'run_command', arguments: { command: 'touch x' } })
  const verdictOf = (document: JsonObject) => rule(aPolicy(document), same).verdict
  const touch = (verdict: Verdict) => ({ rules: rules(['run_command', { command: 'touch *' }, verdict]) })
  expect(verdictOf({ default: 'auto', ...touch('prompt') })).toBe('prompt')
  expect(verdictOf({ default: 'auto', ...touch('never'), tools: { run_command_task: 'auto' } })).toBe('never')
  expect(verdictOf({ default: 'auto', tools: { '*': 'auto', run_command: 'prompt' } })).toBe('prompt')
  expect(verdictOf({ default: 'auto', tools: { run_command: 'prompt', run_command_task: 'auto' } })).toBe('auto')
  expect(verdictOf({ default: 'prompt', ...touch('auto') })).toBe('prompt')
  expect(verdictOf({ default: 'prompt', tools: { run_command: 'auto' } })).toBe('prompt')
})

test('P1: a rule that permits looks at the one text that may permit, and nothing else', () => {
  const policy = aPolicy({ rules: rules(['run', { command: 'git status*' }, 'auto']) })
  const verdictOf = (facts: CallFacts) =>
    rule(policy, ask('run', { arguments: { command: 'git status' }, facts })).verdict
  expect(verdictOf(reading('git status', 'git status'))).toBe('auto')
  expect(verdictOf(reading(null, 'git status'))).toBe('prompt')
  expect(verdictOf(reading('rm -r x', 'git status'))).toBe('prompt')
})

test('P1: a rule that restricts looks at all that an argument may turn out to do', () => {
  const policy = aPolicy({ default: 'auto', rules: rules(['run', { command: 'rm *' }, 'never']) })
  const verdictOf = (facts: CallFacts) => rule(policy, ask('run', { arguments: { command: 'x' }, facts })).verdict
  expect(verdictOf(reading('sudo rm x', 'sudo rm x', 'rm x'))).toBe('never')
  expect(verdictOf(reading(null, 'rm'))).toBe('never')
  expect(verdictOf(reading('rmdir x', 'rmdir x'))).toBe('auto')
})

test('P1: what is protected binds a run that never asks, and so does doubt if a rule may cover the call', () => {
  const binding = (facts: Partial<CallFacts>, policy: JsonObject = { default: 'auto' }) =>
    rule(aPolicy(policy), ask('write', { arguments: { path: 'a' }, facts: { ...NO_FACTS, ...facts } })).binding
  expect([binding({}), binding({ unclear: 'odd' }), binding({}, {}), binding({ unclear: 'odd' }, {})]).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(binding({ protected: 'kept' })).toBe(true)
  const restricted = (verdict: Verdict) => ({ default: 'auto', rules: rules(['wr*', { path: 'secret*' }, verdict]) })
  expect([binding({}, restricted('never')), binding({ unclear: 'odd' }, restricted('auto'))]).toEqual([false, false])
  expect([binding({ unclear: 'odd' }, restricted('never')), binding({ unclear: 'odd' }, restricted('prompt'))]).toEqual(
    [true, true],
  )
})

test('P1: a command of which a part is unknown asks if a rule may cover it, and says why', () => {
  const policy = aPolicy({ default: 'auto', rules: rules(['run', { command: 'git push*' }, 'never']) })
  const rulingOn = (doubt: string | null, ...words: (readonly string[])[]) => {
    const readings = { command: { as: null, among: [], commands: [{ words, doubt }] } }
    return rule(policy, ask('run', { arguments: { command: 'x' }, facts: { ...NO_FACTS, readings } }))
  }
  expect(rulingOn(null, ['git'], ['push'])).toMatchObject({ verdict: 'never' })
  expect(rulingOn(null, ['git'], ['status'], ['', ''])).toMatchObject({ verdict: 'auto', binding: false })
  expect(rulingOn(null, ['git'], ['', ''])).toEqual({
    verdict: 'prompt',
    rule: 'it depends on text that is not in the command, so rule run {"command":"git push*"} may cover it',
    binding: true,
  })
  expect(rulingOn('sh runs x', ['', ''])).toMatchObject({
    verdict: 'prompt',
    rule: expect.stringMatching(/^sh runs x, so rule run/),
    binding: true,
  })
})

const verdict = fc.constantFrom(...VERDICTS)
const tool = fc.constantFrom('run', 'runner', 'server__run', 'read', '')
const glob = fc.constantFrom('run', 'run*', '*', 'server__*', 'r*n', 'read')
const text = fc.constantFrom('git status', 'rm x', 'rm', '')
const entry: fc.Arbitrary<PolicyRule> = fc.record({
  tool: glob,
  match: fc.record({ command: fc.constantFrom('git *', 'rm *', '*', 'rm') }),
  policy: verdict,
})
const policies: fc.Arbitrary<Policy> = fc.record({
  default: verdict,
  tools: fc.dictionary(glob, verdict, { maxKeys: 4 }),
  rules: fc.array(entry, { maxLength: 4 }),
  on_never: fc.constantFrom('pause' as const, 'reject' as const),
})
const facts: fc.Arbitrary<CallFacts> = fc.record({
  readings: fc.record(
    { command: fc.record({ as: fc.option(text), among: fc.array(text, { maxLength: 3 }) }) },
    { requiredKeys: [] },
  ),
  unclear: fc.option(fc.constant('odd')),
  protected: fc.option(fc.constant('kept')),
})
const questions: fc.Arbitrary<PolicyQuestion> = fc.record({
  tool,
  arguments: fc.record({ command: text }, { requiredKeys: [] }),
  facts,
  needs_approval: fc.option(fc.boolean()),
})

test('what is unclear or protected is never let pass by itself', () => {
  fc.assert(
    fc.property(policies, questions, (policy, question) => {
      const { verdict, binding } = rule(policy, question)
      if (question.facts.unclear !== null || question.facts.protected !== null) expect(verdict).not.toBe('auto')
      if (binding) expect(verdict).toBe('prompt')
    }),
    { numRuns: 2_000 },
  )
})

test('doubt never makes a ruling milder', () => {
  fc.assert(
    fc.property(policies, questions, (policy, question) => {
      const certain = rule(policy, { ...question, facts: { ...question.facts, unclear: null, protected: null } })
      expect(STRICTNESS[rule(policy, question).verdict]).toBeGreaterThanOrEqual(STRICTNESS[certain.verdict])
    }),
    { numRuns: 2_000 },
  )
})

test('a ruling does not depend on the order of rules and names', () => {
  fc.assert(
    fc.property(policies, questions, (policy, question) => {
      const other: Policy = {
        ...policy,
        tools: Object.fromEntries(Object.entries(policy.tools).toReversed()),
        rules: policy.rules.toReversed(),
      }
      expect(rule(other, question).verdict).toBe(rule(policy, question).verdict)
    }),
    { numRuns: 2_000 },
  )
})

test('one more rule that says never makes no ruling milder', () => {
  fc.assert(
    fc.property(policies, questions, entry, (policy, question, added) => {
      const stricter = { ...policy, rules: [...policy.rules, { ...added, policy: 'never' as const }] }
      const before = rule(policy, question).verdict
      expect(STRICTNESS[rule(stricter, question).verdict]).toBeGreaterThanOrEqual(STRICTNESS[before])
    }),
    { numRuns: 2_000 },
  )
})

test('a ruling names the rule that made it', () => {
  const policy = aPolicy({
    tools: { 'dep*': 'never', read: 'auto' },
    rules: rules(['run', { command: 'rm *' }, 'never']),
  })
  const ruleFor = (question: PolicyQuestion) => rule(policy, question).rule
  expect(ruleFor(ask('deploy'))).toBe('tools.dep*: never')
  expect(ruleFor(ask('read'))).toBe('tools.read: auto')
  expect(ruleFor(ask('run', { arguments: { command: 'rm x' } }))).toBe('rule run {"command":"rm *"}: never')
  expect(ruleFor(ask('other'))).toBe('default: prompt')
  expect(ruleFor(ask('other', { needs_approval: true }))).toContain('needsApproval')
})
