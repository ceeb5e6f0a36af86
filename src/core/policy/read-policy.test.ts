import { expect, test } from 'vitest'
import { readPolicy } from './read-policy.ts'

test('a policy that cannot be used is refused with the place and the file', () => {
  const broken = { tools: { deploy: 'sometimes' } }
  expect(() => readPolicy(broken, 'policy.json')).toThrow(
    'policy.json cannot be used: tools.deploy must be "auto", "box", "prompt" or "never"',
  )
})

test('what a policy leaves out asks', () => {
  expect(readPolicy({}, 'policy.json')).toEqual({ default: 'prompt', tools: {}, rules: [], on_never: 'pause' })
})
