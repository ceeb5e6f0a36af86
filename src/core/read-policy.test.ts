import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from './json.ts'
import { readPolicy } from './read-policy.ts'

const schema = JSON.parse(readFileSync('schemas/policy.schema.json', 'utf8')) as JsonObject

const verdict = fc.constantFrom('auto', 'prompt', 'never', 'AutoApprove', 'Never', 'maybe', 7, null)
const rule = fc.record(
  {
    tool: fc.constantFrom('run_command', '', 1),
    match: fc.constantFrom({ command: 'git *' }, {}, { command: 1 }, 'git'),
    policy: verdict,
    more: fc.constant(1),
  },
  { requiredKeys: [] },
)
const document = fc.record(
  {
    default: verdict,
    tools: fc.oneof(fc.dictionary(fc.constantFrom('read_file', 'deploy_*'), verdict), fc.constant([])),
    rules: fc.oneof(fc.array(rule, { maxLength: 2 }), fc.constant({})),
    on_never: fc.constantFrom('pause', 'reject', 'ask'),
    extra: fc.constant(true),
  },
  { requiredKeys: [] },
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
  expect(accepted).toBeGreaterThan(20)
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
