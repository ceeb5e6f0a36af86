import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import { agentActor } from '../people/agent-actor.ts'
import type { Deciders } from '../people/deciders.ts'
import type { Decision, DecisionVerdict } from './decision.ts'
import { objectionToDecider, tally } from './may-decide.ts'

type DecidedHold = Parameters<typeof objectionToDecider>[0]

const VERDICTS: readonly DecisionVerdict[] = ['approve', 'reject', 'edit', 'respond', 'cancel']

function asked(changes: Partial<DecidedHold> = {}): DecidedHold {
  return {
    id: 'hold_1',
    kind: 'approval',
    agent: 'worker',
    run_id: 'run_1',
    deciders: null,
    requesters: [],
    escalation: [],
    level: 0,
    ...changes,
  }
}

function among(people: readonly string[] | null, more: Partial<Deciders> = {}): Deciders {
  return { people, not_requester: false, quorum: 1, ...more }
}

const codeOf = (hold: DecidedHold, decided_by: string, verdict: DecisionVerdict = 'approve') =>
  objectionToDecider(hold, { verdict, decided_by })?.code ?? null

test('where nobody says who may decide, everybody may', () => {
  expect(codeOf(asked(), 'anybody')).toBeNull()
  expect(codeOf(asked({ deciders: among(null) }), 'anybody')).toBeNull()
})

test.each(VERDICTS)('whoever is not among the deciders may not %s', verdict => {
  const hold = asked({ deciders: among(['ana', 'ben']) })
  expect(codeOf(hold, 'ana', verdict)).toBeNull()
  expect(codeOf(hold, 'eve', verdict)).toBe('not_a_decider')
  expect(codeOf(hold, 'Ana', verdict)).toBe('not_a_decider')
})

test('whoever may not is told who may', () => {
  const refused = objectionToDecider(asked({ deciders: among(['ana', 'ben']) }), {
    verdict: 'approve',
    decided_by: 'eve',
  })
  expect(refused).toMatchObject({
    message: 'eve may not decide hold_1.',
    hint: 'Who may: ana, ben. Nothing was recorded; the hold stays open.',
    details: { deciders: ['ana', 'ben'] },
  })
})

describe('a group that a provider proved', () => {
  const member_of = { groups: ['finance'], proven_by: 'provider', issuer: 'https://login.example.org' } as const
  const byMember = (hold: DecidedHold, decided_by = 'eve') =>
    objectionToDecider(hold, { verdict: 'approve', decided_by, member_of })?.code ?? null

  test('makes its people deciders if the deciders name it, and no agent', () => {
    const hold = asked({ deciders: among([], { groups: ['finance'] }) })
    expect(byMember(hold)).toBeNull()
    expect(byMember(hold, 'agent:other/run_2')).toBe('not_a_decider')
    expect(codeOf(hold, 'eve')).toBe('not_a_decider')
    expect(byMember(asked({ deciders: among(['ana'], { groups: ['legal'] }) }))).toBe('not_a_decider')
    expect(byMember(asked({ deciders: among(['ana', '@finance', 'finance']) }))).toBe('not_a_decider')
  })

  test('counts for a level from when it is reached', () => {
    const escalation = [{ assignee: '@finance', seconds: 60, people: [] }]
    const hold = asked({ deciders: among(['ana']), escalation })
    expect([byMember(hold), byMember({ ...hold, level: 1 })]).toEqual(['not_a_decider', null])
  })

  test('lets the requester release nothing, and is told among those who may', () => {
    const deciders = among([], { groups: ['finance'], not_requester: true })
    const hold = asked({ deciders, requesters: ['eve'] })
    expect(byMember(hold)).toBe('is_requester')
    const refused = objectionToDecider(hold, { verdict: 'approve', decided_by: 'cem' })
    expect(refused).toMatchObject({ hint: expect.stringContaining('Who may: @finance.') })
  })
})

test('where the deciders are nobody, nobody may', () => {
  expect(codeOf(asked({ deciders: among([]) }), 'ana')).toBe('not_a_decider')
})

test('people who are asked because nobody decided may decide from then on, and not before', () => {
  const escalation = [
    { assignee: '@managers', seconds: 60, people: ['mia', 'max'] },
    { assignee: 'zoe', seconds: 60, people: ['zoe'] },
  ]
  const at = (level: number) => asked({ deciders: among(['ana']), escalation, level })
  const who = ['ana', 'mia', 'max', 'zoe', 'eve']
  expect(who.filter(name => codeOf(at(0), name) === null)).toEqual(['ana'])
  expect(who.filter(name => codeOf(at(1), name) === null)).toEqual(['ana', 'mia', 'max'])
  expect(who.filter(name => codeOf(at(2), name) === null)).toEqual(['ana', 'mia', 'max', 'zoe'])
})

test.each([
  ['approve', 'is_requester'],
  ['edit', 'is_requester'],
  ['respond', null],
  ['reject', null],
  ['cancel', null],
] as const)('whoever asked for it may %s: %s', (verdict, code) => {
  const hold = asked({ deciders: among(null, { not_requester: true }), requesters: ['ana', 'ben'] })
  expect(codeOf(hold, 'ana', verdict)).toBe(code)
  expect(codeOf(hold, 'cleo', verdict)).toBeNull()
})

test('whoever asked for it may not say that it happened', () => {
  const hold = asked({ kind: 'in_doubt', deciders: among(null, { not_requester: true }), requesters: ['ana'] })
  expect(codeOf(hold, 'ana', 'respond')).toBe('is_requester')
  expect(codeOf(hold, 'ben', 'respond')).toBeNull()
})

test('where nobody knows who asked, nobody can be somebody else', () => {
  const hold = asked({ deciders: among(null, { not_requester: true }) })
  expect(codeOf(hold, 'ana')).toBe('requester_unknown')
  expect(codeOf(hold, 'ana', 'reject')).toBeNull()
})

test('whoever asked is not named among those who may', () => {
  const hold = asked({ deciders: among(['ana', 'ben'], { not_requester: true }), requesters: ['ana'] })
  expect(objectionToDecider(hold, { verdict: 'approve', decided_by: 'ana' })?.hint).toContain('Who may: ben.')
})

test('P1: an agent decides no hold of its own, whatever run of it says so, even where it is named', () => {
  const hold = asked({ deciders: among(['agent:worker', agentActor('worker', 'run_1'), agentActor('lead', 'run_7')]) })
  for (const verdict of VERDICTS) {
    expect(codeOf(hold, agentActor('worker', 'run_1'), verdict)).toBe('own_hold')
    expect(codeOf(hold, agentActor('worker', 'run_2'), verdict)).toBe('own_hold')
    expect(codeOf(hold, 'agent:worker', verdict)).toBe('own_hold')
    expect(codeOf(hold, agentActor('lead', 'run_7'), verdict)).toBeNull()
  }
})

test('an agent may say more to a run that it started, at a text pause alone, and where nobody else is named', () => {
  const parent = agentActor('worker', 'run_0')
  const said = { requesters: [parent], kind: 'input' } as const
  expect(codeOf(asked(said), parent, 'respond')).toBeNull()
  expect(codeOf(asked({ ...said, requesters: ['ana'] }), parent, 'respond')).toBe('own_hold')
  expect(codeOf(asked({ ...said, kind: 'approval' }), parent)).toBe('own_hold')
  expect(codeOf(asked({ ...said, kind: 'question' }), parent, 'respond')).toBe('own_hold')
  expect(codeOf(asked({ ...said, deciders: among(['ben']) }), parent, 'respond')).toBe('own_hold')
  const itself = agentActor('worker', 'run_1')
  expect(codeOf(asked({ ...said, requesters: [itself] }), itself, 'respond')).toBe('own_hold')
})

const vote = (decided_by: string, changes: Partial<Decision> = {}) => aDecision('approve', { decided_by, ...changes })
const needing = (quorum: number, votes: readonly Decision[]) => ({
  id: 'hold_1',
  deciders: among(null, { quorum }),
  votes,
})

test('one approval decides where nobody says otherwise', () => {
  expect(tally({ id: 'hold_1', deciders: null, votes: [] }, vote('ana'))).toEqual({ decides: true, have: 1, need: 1 })
})

test('of several approvals the last one decides', () => {
  expect(tally(needing(3, []), vote('ana'))).toEqual({ decides: false, have: 1, need: 3 })
  expect(tally(needing(3, [vote('ana'), vote('ben')]), vote('cleo'))).toEqual({ decides: true, have: 3, need: 3 })
})

test.each(['reject', 'cancel'] as const)('one %s ends it, also by somebody who approved before', verdict => {
  expect(tally(needing(3, [vote('ana')]), aDecision(verdict, { decided_by: 'ana' }))).toMatchObject({ decides: true })
})

test('nobody approves twice', () => {
  expect(() => tally(needing(3, [vote('ana')]), vote('ana', { decision_id: 'dec_2' }))).toThrow(
    expect.objectContaining({
      code: 'already_voted',
      message: expect.stringContaining('needs 3 different people and has 1'),
    }),
  )
})

test('P1: an agent is one voice, however many runs of it approve', () => {
  const votes = [vote(agentActor('lead', 'run_1'))]
  expect(() => tally(needing(2, votes), vote(agentActor('lead', 'run_2')))).toThrow(
    expect.objectContaining({ code: 'already_voted' }),
  )
  expect(tally(needing(2, votes), vote(agentActor('deputy', 'run_3')))).toMatchObject({ decides: true })
})

test('P1: what several people must approve, nobody edits alone', () => {
  expect(() => tally(needing(2, []), aDecision('edit'))).toThrow(expect.objectContaining({ code: 'edit_needs_quorum' }))
  expect(tally(needing(1, []), aDecision('edit'))).toMatchObject({ decides: true })
})

test('P1: it takes as many different people as it says, whatever the order', () => {
  const people = fc.array(fc.constantFrom('ana', 'ben', 'cleo', 'dora'), { maxLength: 12 })
  fc.assert(
    fc.property(people, fc.integer({ min: 2, max: 4 }), (names, quorum) => {
      const different = [...new Set(names)].slice(0, quorum)
      for (const [before, name] of different.entries()) {
        const votes = different.slice(0, before).map(each => vote(each))
        expect(tally(needing(quorum, votes), vote(name)).decides).toBe(before + 1 === quorum)
        for (const { decided_by } of votes) expect(() => tally(needing(quorum, votes), vote(decided_by))).toThrow()
      }
    }),
  )
})
