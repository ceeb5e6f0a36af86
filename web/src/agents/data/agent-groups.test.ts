import { expect, test } from 'vitest'
import { AGENT_STATUSES } from '../../../../src/core/fleet/agent-status.ts'
import { type Agent, agentGroups, agentHasWords } from './agent-groups.ts'

function agent(id: string, more: Partial<Agent> = {}): Agent {
  const nothing = { name: null, agent: null, title: '', last_message: null, first_hold: null }
  return { id, status: 'running', ...nothing, ...more } as unknown as Agent
}

test('agents that need a person come first, then trouble, idle ones, those at work, parked ones, and those that are over', () => {
  const all = AGENT_STATUSES.map(status => agent(status, { status }))
  expect(agentGroups(all).map(({ agents }) => agents.map(({ id }) => id))).toEqual([
    ['waiting'],
    ['failed', 'crashed', 'unreachable'],
    ['idle'],
    ['queued', 'spawning', 'running', 'killing'],
    ['parked'],
    ['killed', 'done'],
  ])
  expect(agentGroups([agent('one'), agent('two')]).map(({ title }) => title)).toEqual(['At work'])
})

test('words are looked for in all that a row shows, in any order', () => {
  const docs = agent('task_1', { name: 'docs', title: 'Write the manual', status: 'idle' })
  expect(agentHasWords(docs, 'manual DOCS idle')).toBe(true)
  expect(agentHasWords(docs, 'docs shop')).toBe(false)
  expect(agentHasWords(docs, '')).toBe(true)
})
