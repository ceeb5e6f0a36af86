import { expect, test } from 'vitest'
import { actor } from './actor.ts'

test('who decides is whom HOLDPOINT_ACTOR names, or the user of the system', () => {
  expect(actor({ HOLDPOINT_ACTOR: 'ana' })).toBe('ana')
  expect(actor({ HOLDPOINT_ACTOR: '', HOLDPOINT_WITHIN: '' })).not.toBe('')
})

test('P1: within a command of an agent the agent signs, whatever else the environment says', () => {
  expect(actor({ HOLDPOINT_WITHIN: 'agent:bot/run_1', HOLDPOINT_ACTOR: 'ana' })).toBe('agent:bot/run_1')
  expect(actor({ HOLDPOINT_WITHIN: 'ana' })).toBe('agent:ana')
})
