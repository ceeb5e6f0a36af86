import { expect, test } from 'vitest'
import { aProfile } from '../../testing/contracts/sample-journal.ts'
import type { Profile, ProfileChanges } from './profile.ts'
import { widenedSettings, withoutPlaces } from './widening.ts'

const BEFORE: Profile = aProfile({
  tools: ['look', 'crm__*'],
  pause_on: ['approval'],
  max_concurrent_calls: 4,
  prices: { a: { input: 1, output: 2 }, '*': { input: 3, output: 4 } },
  stop: [
    { type: 'max_rounds', rounds: 5 },
    { type: 'stop_on_tool', tool_name: 'finish' },
    { type: 'max_pauses', pauses: 3 },
  ],
})

const NARROWER: readonly ProfileChanges[] = [
  { tools: ['look'] },
  { tools: ['crm__read'] },
  { tools: [] },
  { pause_on: ['approval', 'question'] },
  { max_concurrent_calls: 1 },
  { stop: [...BEFORE.stop, { type: 'timeout', seconds: 5 }] },
  { stop: [{ type: 'max_rounds', rounds: 2 }, ...BEFORE.stop.slice(1)] },
  { stop: [...BEFORE.stop.slice(0, 2), { type: 'max_pauses', pauses: 2 }] },
  { policy: { ...BEFORE.policy, default: 'never' } },
  { prices: { ...BEFORE.prices, b: { input: 0, output: 0 } } },
  { stop: [...BEFORE.stop, { type: 'budget', usd: 2 }] },
  { project: '/elsewhere' },
  { approval_answers: 'strict' },
  { agent: BEFORE.agent, instructions: BEFORE.instructions },
]

test.each(NARROWER)('%j widens nothing', changes => {
  expect(widenedSettings(BEFORE, changes, [])).toEqual([])
})

const WIDER: readonly ProfileChanges[] = [
  { tools: ['look', 'write'] },
  { tools: ['crm*'] },
  { tools: null },
  { pause_on: [] },
  { max_concurrent_calls: 5 },
  { stop: [BEFORE.stop[0]!, BEFORE.stop[2]!] },
  { stop: BEFORE.stop.slice(0, 2) },
  { stop: [...BEFORE.stop.slice(0, 2), { type: 'max_pauses', pauses: 4 }] },
  { stop: [{ type: 'max_rounds', rounds: 6 }, ...BEFORE.stop.slice(1)] },
  { stop: [BEFORE.stop[0]!, { type: 'stop_on_tool', tool_name: 'look' }, BEFORE.stop[2]!] },
  { policy: { ...BEFORE.policy, tools: { ...BEFORE.policy.tools, write: 'auto' } } },
  { prices: { ...BEFORE.prices, a: { input: 1, output: 1 } } },
  { prices: { b: { input: 0, output: 0 }, ...BEFORE.prices } },
  { prices: {} },
  { agent: 'other' },
  { agent_file: '/other.md' },
  { model: 'script:other' },
  { instructions: 'Do as you like.' },
  { workdir: '/elsewhere' },
  { rules_from: '/' },
  { configured_in: '/other' },
  { deciders: { people: ['bob'] } },
  { groups: { ops: ['bob'] } },
  { due: { seconds: 1, on_due: 'auto_approve' } },
]

test.each(WIDER)('P1: %j may widen', changes => {
  expect(widenedSettings(BEFORE, changes, [])).toEqual(Object.keys(changes))
})

test('P1: of a run with all tools, fewer are less only if it is known which it had', () => {
  const all = aProfile({ tools: null })
  const changes = { tools: ['look'] }
  expect(widenedSettings(all, changes, ['look', 'write'])).toEqual([])
  expect(widenedSettings(all, changes, ['write'])).toEqual(['tools'])
  expect(widenedSettings(all, changes, null)).toEqual(['tools'])
})

test('P1: a setting of a later version may widen', () => {
  expect(widenedSettings(BEFORE, { unheard: true } as ProfileChanges, [])).toEqual(['unheard'])
})

test('a run that moves takes its script along, and no other model', () => {
  const moved = { project: '/b', configured_in: '/b', workdir: '/b', agent_file: '/b/agent.md' }
  const scripted = aProfile({ model: 'script:/a/x.json' })
  expect(withoutPlaces(scripted, { ...moved, model: 'script:/b/x.json' })).toEqual({})
  expect(withoutPlaces(scripted, { ...moved, model: 'openai/x' })).toEqual({ model: 'openai/x' })
  expect(withoutPlaces(BEFORE, { ...moved, tools: null })).toEqual({ tools: null })
})
