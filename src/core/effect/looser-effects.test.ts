import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Effect } from './effect.ts'
import { type EffectRules, isNever, ruleEffect } from './effect-rules.ts'
import { mayLetMoreHappen } from './looser-effects.ts'

const RULES: EffectRules = {
  write: ['src/**', '!src/secret/**', 'docs/**'],
  delete: ['dist/**'],
  never: ['.env', '.env.*', '!.env.example'],
  hosts: ['example.com', '!evil.example'],
  git: 'ask',
  drift: 'ask',
}
const { write, never, hosts } = RULES

const NARROWER: readonly (readonly [what: string, after: EffectRules | undefined])[] = [
  ['the same', RULES],
  ['one folder less to write', { ...RULES, write: write.slice(0, 2) }],
  ['one more exception', { ...RULES, write: [...write, '!docs/private/**'] }],
  ['an exception in between', { ...RULES, write: ['src/**', '!src/a', '!src/secret/**', 'docs/**'] }],
  ['nothing to delete', { ...RULES, delete: [] }],
  ['more that is never', { ...RULES, never: [...never, '*.pem'] }],
  ['no exception to never', { ...RULES, never: never.slice(0, 2) }],
  ['one host less', { ...RULES, hosts: ['!evil.example'] }],
  ['hosts in another order', { ...RULES, hosts: hosts.toReversed() }],
  ['one more host that is refused', { ...RULES, hosts: [...hosts, '!other.example'] }],
]

test.each(NARROWER)('rules with %s let nothing more happen', (_what, after) => {
  expect(mayLetMoreHappen(RULES, after)).toBe(false)
})

const LOOSER: readonly (readonly [what: string, after: EffectRules | undefined])[] = [
  ['one folder more to write', { ...RULES, write: [...write, 'lib/**'] }],
  ['a wider folder', { ...RULES, write: ['**', ...write.slice(1)] }],
  ['an exception less', { ...RULES, write: ['src/**', 'docs/**'] }],
  ['an exception before what it takes out', { ...RULES, write: ['!src/secret/**', 'src/**', 'docs/**'] }],
  ['something to delete', { ...RULES, delete: ['dist/**', 'out/**'] }],
  ['less that is never', { ...RULES, never: ['.env'] }],
  ['an exception to never', { ...RULES, never: [...never, '!.env.test'] }],
  ['one more host', { ...RULES, hosts: [...hosts, 'other.example'] }],
  ['no host refused', { ...RULES, hosts: ['example.com'] }],
  ['commits of git', { ...RULES, git: 'commit' }],
  ['another run after drift', { ...RULES, drift: 'rerun' }],
  ['nothing at all where something is never', undefined],
]

test.each(LOOSER)('P1: rules with %s may let more happen', (_what, after) => {
  expect(mayLetMoreHappen(RULES, after)).toBe(true)
})

test('P1: rules where there were none send commands into a box that were asked about', () => {
  const none: EffectRules = { write: [], delete: [], never: [], hosts: [], git: 'ask', drift: 'ask' }
  expect(mayLetMoreHappen(undefined, none)).toBe(true)
  expect(mayLetMoreHappen(none, undefined)).toBe(false)
  expect(mayLetMoreHappen(undefined, undefined)).toBe(false)
})

const pattern = fc.constantFrom('**', 'a', '!a', 'a/**', '!a/b', 'a/*', '!**', '*.c', '!*.c', '.git/hooks/**')
const patterns = fc.array(pattern, { maxLength: 4 })
const rules: fc.Arbitrary<EffectRules> = fc.record({
  write: patterns,
  delete: patterns,
  never: patterns,
  hosts: fc.constant([]),
  git: fc.constantFrom('ask', 'commit'),
  drift: fc.constant('ask'),
})
/** Near to the first ones: a pattern less, or one more somewhere. */
const near = (before: EffectRules): fc.Arbitrary<EffectRules> =>
  fc
    .tuple(fc.constantFrom('write', 'delete', 'never'), fc.nat(4), fc.nat(1), fc.array(pattern, { maxLength: 1 }))
    .map(([key, at, less, more]) => ({ ...before, [key]: before[key as 'write'].toSpliced(at, less, ...more) }))
const PATHS = ['a', 'a/b', 'a/b/c', 'b.c', 'x', '.git/HEAD', '.git/hooks/pre-commit', '.holdpoint/db']
const FILE = { kind: 'file', mode: 0o644, digest: 'sha256:1', size: 1 } as const
const EFFECTS: readonly Effect[] = PATHS.flatMap(path => [
  { changes: [{ path, before: null, after: FILE }], left_out: [] },
  { changes: [{ path, before: FILE, after: null }], left_out: [] },
])
const STRICT = { auto: 0, prompt: 1, never: 2 }

test('P1: no effect is ruled on more mildly by rules of which it is certain that they let nothing more happen', () => {
  let compared = 0
  fc.assert(
    fc.property(
      rules.chain(before => fc.tuple(fc.constant(before), near(before))),
      ([before, after]) => {
        if (mayLetMoreHappen(before, after)) return
        compared += 1
        for (const effect of EFFECTS) {
          const [was, is] = [ruleEffect(before, effect).verdict, ruleEffect(after, effect).verdict]
          expect(STRICT[is], JSON.stringify(effect)).toBeGreaterThanOrEqual(STRICT[was])
        }
        for (const path of PATHS) expect(isNever(after, path) || !isNever(before, path)).toBe(true)
      },
    ),
    { numRuns: 3000 },
  )
  expect(compared).toBeGreaterThan(300)
})
