import { expect, test } from 'vitest'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import { asAgentActor, withoutRun } from '../people/agent-actor.ts'
import type { Deciders } from '../people/deciders.ts'
import { objectionToDecider, tally } from './may-decide.ts'

const asked = (people: readonly string[] | null, level = 0) => ({
  id: 'hold_1',
  kind: 'approval' as const,
  agent: 'child',
  run_id: 'run_1',
  deciders: people && { people, not_requester: false, quorum: 1 },
  requesters: ['agent:parent/run_9'],
  escalation: [{ assignee: 'agent:reviewer', seconds: 60, people: ['agent:reviewer'] }],
  level,
})

const codeOf = (hold: ReturnType<typeof asked>, decided_by: string) =>
  objectionToDecider(hold, { verdict: 'approve', decided_by })?.code ?? null

test('P1: an agent decides for no other where nobody chose it, not even for one that it started', () => {
  expect(codeOf(asked(null), 'agent:parent/run_9')).toBe('not_a_decider')
  expect(codeOf(asked(['ana', 'parent']), 'agent:parent/run_9')).toBe('not_a_decider')
  expect(codeOf(asked(null), 'ana')).toBeNull()
})

test('an agent that is named among the deciders decides, in any run of it or in the one that is named', () => {
  expect(codeOf(asked(['agent:parent']), 'agent:parent/run_9')).toBeNull()
  expect(codeOf(asked(['agent:parent/run_9']), 'agent:parent/run_9')).toBeNull()
  expect(codeOf(asked(['agent:parent/run_8']), 'agent:parent/run_9')).toBe('not_a_decider')
})

test('an agent to which a hold was escalated decides from then on', () => {
  expect(codeOf(asked(null), 'agent:reviewer/run_7')).toBe('not_a_decider')
  expect(codeOf(asked(null, 1), 'agent:reviewer/run_7')).toBeNull()
})

test('P1: an agent does not decide its own hold, even where it is named', () => {
  expect(codeOf(asked(['agent:child']), 'agent:child/run_2')).toBe('own_hold')
})

test('an agent that asked for what is held does not release it in another run', () => {
  const hold = { ...asked(['agent:parent']), deciders: { people: ['agent:parent'], not_requester: true, quorum: 1 } }
  expect(codeOf(hold, 'agent:parent/run_10')).toBe('is_requester')
})

test('two runs of an agent are one of the people who must approve', () => {
  const deciders: Deciders = { people: null, not_requester: false, quorum: 2 }
  const votes = [aDecision('approve', { decided_by: 'agent:bot/run_1' })]
  const again = aDecision('approve', { decided_by: 'agent:bot/run_2' })
  expect(() => tally({ id: 'hold_1', deciders, votes }, again)).toThrow(
    expect.objectContaining({ code: 'already_voted' }),
  )
})

test('a signature loses its run, and a person has none', () => {
  expect(['agent:bot/run_1', 'agent:bot', 'team/ana'].map(withoutRun)).toEqual(['agent:bot', 'agent:bot', 'team/ana'])
  expect(['agent:bot/run_1', 'ana'].map(asAgentActor)).toEqual(['agent:bot/run_1', 'agent:ana'])
})
