import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../text/json.ts'
import { readPolicy } from './read-policy.ts'

const schema = JSON.parse(readFileSync('schemas/policy.schema.json', 'utf8')) as JsonObject

/** Mostly what fits, so that whole documents do now and then. */
function mostly<T>(good: fc.Arbitrary<T>, ...bad: unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) })
}

const verdict = mostly(fc.constantFrom('auto', 'prompt', 'never', 'AutoApprove', 'Never'), 'maybe', 7, null)
const match = mostly(fc.constant({ command: 'git *' }), {}, { command: 1 }, 'git')
/** Now and then with a name that nobody knows. */
function strange<T extends object>(known: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 1, arbitrary: known.map(value => ({ ...value, more: 1 })) },
  )
}

const rule = strange(fc.record({ tool: mostly(fc.constant('run_command'), '', 1), match, policy: verdict }))
const document = strange(
  fc.record(
    {
      default: verdict,
      tools: mostly(fc.dictionary(fc.constantFrom('read_file', 'deploy_*'), verdict), []),
      rules: mostly(fc.array(rule, { maxLength: 2 }), {}),
      on_never: mostly(fc.constantFrom('pause', 'reject'), 'ask'),
    },
    { requiredKeys: [] },
  ),
)

test('the published schema and the reader accept the same policies', async () => {
  const { Validator } = await import('@cfworker/json-schema')
  const validator = new Validator(schema as never, '2020-12')
  let accepted = 0
  fc.assert(
    fc.property(document, policy => {
      const fits = validator.validate(policy).valid
      accepted += fits ? 1 : 0
      expect(reads(policy as Json)).toBe(fits)
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(100)
  expect(accepted).toBeLessThan(1_900)
})

test('a policy that cannot be used is refused with the place and the file', () => {
  const broken = { tools: { deploy: 'sometimes' } }
  expect(() => readPolicy(broken, 'policy.json')).toThrow(
    'policy.json cannot be used: tools.deploy must be "auto", "prompt" or "never"',
  )
})

test('what a policy leaves out asks', () => {
  expect(readPolicy({}, 'policy.json')).toEqual({ default: 'prompt', tools: {}, rules: [], on_never: 'pause' })
})

function reads(policy: Json): boolean {
  try {
    readPolicy(policy, 'test')
    return true
  } catch {
    return false
  }
}
