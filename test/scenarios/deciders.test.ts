import { describe, expect, test } from 'vitest'
import type { DecidersOptions, Groups, Hold, Holdpoint, Receipt } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { advanced, aWorkplace, call, journalOfThread, onlyHold, results, type Workplace } from './workplace.ts'

const SCRIPT = [{ calls: [call('a', 'deploy', { to: 'production' })] }, 'Done.']

interface Saying {
  readonly tool?: DecidersOptions
  readonly agent?: DecidersOptions
  readonly project?: DecidersOptions
  readonly groups?: Groups
  readonly more?: object
}

/** `deploy` must be approved, by whom the tool, the agent and the project say. */
function aDeployer({ tool, agent, project, groups, more }: Saying): Promise<Workplace> {
  return aWorkplace(place => ({
    script: SCRIPT,
    tools: [place.held('deploy', { ...(tool && { deciders: tool }), ...more })],
    ...(agent && { deciders: agent }),
    open: { ...(project && { deciders: project }), ...(groups && { groups }) },
  }))
}

async function paused(holdpoint: Holdpoint, author?: string): Promise<{ id: string; thread_id: string; hold: Hold }> {
  const run = await holdpoint.start({ agent: 'worker', input: 'go', ...(author && { author }) })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  return { ...run, hold: await onlyHold(holdpoint) }
}

const codeOf = (receipt: Receipt) => (receipt.outcome === 'refused' ? receipt.error.code : receipt.outcome)

function decide(holdpoint: Holdpoint, hold: Hold, decided_by: string, verdict: 'approve' | 'reject' = 'approve') {
  return holdpoint.decide(hold.id, { verdict, decided_by, surface: 'test' })
}

describe('who may decide', () => {
  const SAYING: readonly (readonly [who: string, said: Saying, people: readonly string[] | null])[] = [
    ['everybody, where nobody says it', {}, null],
    ['whom the project says', { project: ['pia'] }, ['pia']],
    ['whom the agent says, rather than the project', { agent: ['ada'], project: ['pia'] }, ['ada']],
    ['whom the tool says, rather than either', { tool: ['tom'], agent: ['ada'], project: ['pia'] }, ['tom']],
    ['who is in the groups', { tool: ['tom', '@ops'], groups: { ops: ['ana', 'ben'] } }, ['tom', 'ana', 'ben']],
  ]

  test.each(SAYING)('is %s', async (_who, said, people) => {
    await using place = await aDeployer(said)
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint)
    expect(hold.deciders?.people ?? null).toEqual(people)
    if (people !== null) {
      const refused = await decide(holdpoint, hold, 'eve')
      expect(codeOf(refused)).toBe('not_a_decider')
      expect(await holdpoint.hold(hold.id)).toEqual(hold)
    }
    const somebody = people === null ? 'eve' : people.at(-1)
    if (somebody) expect(codeOf(await decide(holdpoint, hold, somebody))).toBe('recorded')
  })

  const ASKED: readonly (readonly [how: string, deciders: object])[] = [
    ['a list', ['ana']],
    ['a list of groups', ['@ops']],
    ['an object', { people: ['ana'], notRequester: true }],
  ]

  test.each(ASKED)('P1: is whom a hold itself names, in %s', async (_how, deciders) => {
    const execute = async (_: unknown, context: { suspend(asked: object): never }) =>
      context.suspend({ message: 'May it?', deciders })
    await using place = await aDeployer({
      groups: { ops: ['ana'] },
      tool: ['tom'],
      more: { needsApproval: false, execute },
    })
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint, 'ben')
    expect(hold.deciders).toMatchObject({ people: ['ana'] })
    expect(codeOf(await decide(holdpoint, hold, 'tom'))).toBe('not_a_decider')
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('recorded')
  })

  test('are the people who were in the group when it was asked', async () => {
    await using place = await aDeployer({ tool: ['@ops'], groups: { ops: ['ana'] } })
    const { hold } = await (async () => {
      await using holdpoint = await place.open()
      return await paused(holdpoint)
    })()
    await using holdpoint = await place.open({ open: { groups: { ops: ['ben'] } } })
    expect(codeOf(await decide(holdpoint, hold, 'ben'))).toBe('not_a_decider')
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('recorded')
  })

  test('is asked of answers in words as well, and of decisions that come with an advance', async () => {
    await using place = await aDeployer({ tool: ['ana'] })
    await using holdpoint = await place.open()
    const { hold, id, thread_id } = await paused(holdpoint)
    const before = await journalOfThread(holdpoint, thread_id)
    for (const text of ['yes', 'well, maybe']) {
      const answered = await holdpoint.answer(hold.id, { text, decided_by: 'eve', surface: 'chat' })
      expect(codeOf(answered)).toBe('not_a_decider')
    }
    const said = { hold_id: hold.id, verdict: 'approve', decided_by: 'eve', surface: 'test' } as const
    expect(await holdpoint.advance(id, { decisions: [said] })).toMatchObject({ status: 'refused' })
    expect(await journalOfThread(holdpoint, thread_id)).toEqual(before)
    expect(codeOf(await holdpoint.answer(hold.id, { text: 'yes', decided_by: 'ana', surface: 'chat' }))).toBe(
      'recorded',
    )
  })

  test('is not who was assigned: that gives nobody a right', async () => {
    await using place = await aDeployer({ tool: ['ana', 'ben'] })
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint)
    await expect(holdpoint.assign(hold.id, { assignee: 'eve', by: 'ana' })).rejects.toMatchObject({
      code: 'not_a_decider',
    })
    await holdpoint.assign(hold.id, { assignee: 'ben', by: 'ana' })
    expect(await holdpoint.hold(hold.id)).toMatchObject({ assignee: 'ben', status: 'open' })
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('recorded')
  })
})

describe('an answer that says neither yes nor no', () => {
  const maybe = { text: 'well, maybe', decided_by: 'ben', surface: 'chat' } as const

  test('leaves the hold open, and the thread tells', async () => {
    await using place = await aDeployer({})
    await using holdpoint = await place.open()
    const { hold, thread_id } = await paused(holdpoint)
    expect(codeOf(await holdpoint.answer(hold.id, maybe))).toBe('unclear_answer')
    expect((await journalOfThread(holdpoint, thread_id)).at(-1)).toMatchObject({
      kind: 'hold.unclear',
      data: { by: 'ben', text: 'well, maybe' },
    })
  })

  test('P2: is told the winner where somebody decided before', async () => {
    await using place = await aDeployer({})
    await using holdpoint = await place.open()
    const { hold, thread_id } = await paused(holdpoint)
    await decide(holdpoint, hold, 'ana')
    const before = await journalOfThread(holdpoint, thread_id)
    expect(await holdpoint.answer(hold.id, maybe)).toMatchObject({
      outcome: 'already_decided',
      winner: { decided_by: 'ana' },
    })
    expect(await journalOfThread(holdpoint, thread_id)).toEqual(before)
  })

  test('P2: is told that it comes too late where the time is over', async () => {
    const clock = handClock()
    await using place = await aDeployer({ more: { due: { seconds: 60 } } })
    await using holdpoint = await place.open({ open: { clock } })
    const { hold, thread_id } = await paused(holdpoint)
    clock.advance(60_000)
    expect(codeOf(await holdpoint.answer(hold.id, maybe))).toBe('hold_expired')
    expect((await journalOfThread(holdpoint, thread_id)).at(-1)?.kind).toBe('hold.expired')
  })
})

describe('a hold that is closed', () => {
  test('P2: tells a person who may not decide it who was first', async () => {
    await using place = await aDeployer({ tool: ['ana'] })
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint)
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('recorded')
    const late = { outcome: 'already_decided', winner: { decided_by: 'ana' } }
    expect(await decide(holdpoint, hold, 'eve')).toMatchObject(late)
    const by = { decided_by: 'eve', surface: 'test' }
    expect(await holdpoint.answer(hold.id, { text: 'perhaps', ...by })).toMatchObject(late)
    expect(await holdpoint.hold(hold.id)).toMatchObject({ decision: { decided_by: 'ana' } })
  })

  test('P2: tells a person who may not decide it that its time is over', async () => {
    const clock = handClock()
    await using place = await aDeployer({ tool: ['ana'], more: { due: { seconds: 60 } } })
    await using holdpoint = await place.open({ open: { clock } })
    const { hold } = await paused(holdpoint)
    clock.advance(60_000)
    expect(codeOf(await decide(holdpoint, hold, 'eve'))).toBe('hold_expired')
  })
})

describe('not the requester', () => {
  const NOT_REQUESTER: Saying = { tool: { notRequester: true } }

  test('P1: whoever asked may not approve, but say no; anybody else may approve', async () => {
    await using place = await aDeployer(NOT_REQUESTER)
    await using holdpoint = await place.open()
    const { hold, id } = await paused(holdpoint, 'ana')
    expect(hold.requesters).toEqual(['ana'])
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('is_requester')
    expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'open' })
    expect(codeOf(await decide(holdpoint, hold, 'ben'))).toBe('recorded')
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done' })
    expect(place.effects).toEqual(['deploy'])
  })

  /** The hold of a second run, after a first one in which `ana` asked and the agent only talked. */
  async function askedBefore(holdpoint: Holdpoint, author?: string): Promise<Hold> {
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'deploy it', author: 'ana' })
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done' })
    const next = await holdpoint.send(thread_id, { text: 'go on', ...(author && { author }) })
    await advanced(holdpoint, next.run_id)
    return onlyHold(holdpoint)
  }

  test('P1: whoever asked in an earlier run of the conversation did ask', async () => {
    await using place = await aDeployer(NOT_REQUESTER)
    await using holdpoint = await place.open({ script: ['Shall I?', ...SCRIPT] })
    const hold = await askedBefore(holdpoint, 'ben')
    expect(hold.requesters).toEqual(['ana', 'ben'])
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('is_requester')
    expect(codeOf(await decide(holdpoint, hold, 'ben'))).toBe('is_requester')
    expect(codeOf(await decide(holdpoint, hold, 'cleo'))).toBe('recorded')
  })

  test('P1: who asked before says nothing of who asks now', async () => {
    await using place = await aDeployer(NOT_REQUESTER)
    await using holdpoint = await place.open({ script: ['Shall I?', ...SCRIPT] })
    const hold = await askedBefore(holdpoint)
    expect(codeOf(await decide(holdpoint, hold, 'ben'))).toBe('requester_unknown')
  })

  test('whoever asked takes it back', async () => {
    await using place = await aDeployer(NOT_REQUESTER)
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint, 'ana')
    expect(codeOf(await decide(holdpoint, hold, 'ana', 'reject'))).toBe('recorded')
  })

  test('where nobody said who asks, nobody approves', async () => {
    await using place = await aDeployer(NOT_REQUESTER)
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint)
    expect(codeOf(await decide(holdpoint, hold, 'ana'))).toBe('requester_unknown')
    expect(codeOf(await decide(holdpoint, hold, 'ana', 'reject'))).toBe('recorded')
  })
})

describe('a quorum', () => {
  const TWO: Saying = { tool: { people: ['ana', 'ben', 'cleo'], quorum: 2 } }

  test('P1: nothing runs before as many different people approved as it takes', async () => {
    await using place = await aDeployer(TWO)
    await using one = await place.open()
    await using two = await place.open()
    const { hold, id, thread_id } = await paused(one)
    expect(await decide(one, hold, 'ana')).toMatchObject({ outcome: 'recorded', hold: { status: 'open' } })
    expect(await advanced(one, id)).toMatchObject({ status: 'waiting', holds: [{ votes: [{ decided_by: 'ana' }] }] })
    expect(codeOf(await decide(two, hold, 'ana'))).toBe('already_voted')
    expect(codeOf(await decide(two, hold, 'eve'))).toBe('not_a_decider')
    expect(place.effects).toEqual([])
    expect(await decide(two, hold, 'ben')).toMatchObject({ outcome: 'recorded', hold: { status: 'decided' } })
    expect(await decide(one, hold, 'cleo')).toMatchObject({ outcome: 'already_decided', winner: { decided_by: 'ben' } })
    expect(await advanced(one, id)).toMatchObject({ status: 'done' })
    expect(place.effects).toEqual(['deploy'])
    const kinds = (await journalOfThread(one, thread_id))
      .map(({ kind }) => kind)
      .filter(kind => kind.startsWith('hold.'))
    expect(kinds).toEqual(['hold.opened', 'hold.voted', 'hold.decided'])
  })

  test('one rejection ends it', async () => {
    await using place = await aDeployer(TWO)
    await using holdpoint = await place.open()
    const { hold, id } = await paused(holdpoint)
    await decide(holdpoint, hold, 'ana')
    expect(codeOf(await decide(holdpoint, hold, 'ben', 'reject'))).toBe('recorded')
    const done = await advanced(holdpoint, id)
    expect(JSON.stringify(results(done))).toContain('TOOL_CALL_REJECTED')
    expect(place.effects).toEqual([])
  })

  test('P1: is not got round by an edit', async () => {
    await using place = await aDeployer(TWO)
    await using holdpoint = await place.open()
    const { hold } = await paused(holdpoint)
    const edited = await holdpoint.decide(hold.id, {
      verdict: 'edit',
      arguments: { to: 'x' },
      decided_by: 'ana',
      surface: 'test',
    })
    expect(codeOf(edited)).toBe('edit_needs_quorum')
    expect(await holdpoint.hold(hold.id)).toEqual(hold)
  })

  test('P2: of many who approve at once, exactly as many as it takes are recorded', async () => {
    const people = Array.from({ length: 8 }, (_, n) => `person ${n}`)
    await using place = await aDeployer({ tool: { people, quorum: 3 } })
    await using one = await place.open()
    await using two = await place.open()
    const { hold } = await paused(one)
    const receipts = await Promise.all(people.map((name, n) => decide(n % 2 === 0 ? one : two, hold, name)))
    expect(receipts.map(codeOf).toSorted()).toEqual([...Array(5).fill('already_decided'), ...Array(3).fill('recorded')])
  })
})

describe('agents', () => {
  test.each(['agent:worker', 'agent:worker/run_of_another'])(
    'P1: %s does not decide what it holds itself',
    async actor => {
      await using place = await aDeployer({ tool: [actor, 'ana'] })
      await using holdpoint = await place.open()
      const { hold } = await paused(holdpoint)
      for (const verdict of ['approve', 'reject'] as const)
        expect(codeOf(await decide(holdpoint, hold, actor, verdict))).toBe('own_hold')
      expect(codeOf(await holdpoint.answer(hold.id, { text: 'yes', decided_by: actor, surface: 'tool' }))).toBe(
        'own_hold',
      )
      expect(await holdpoint.hold(hold.id)).toEqual(hold)
    },
  )

  test('P1: the run itself does not, whatever its agent calls itself', async () => {
    await using place = await aDeployer({})
    await using holdpoint = await place.open()
    const { hold, id } = await paused(holdpoint)
    expect(codeOf(await decide(holdpoint, hold, `agent:lead/${id}`))).toBe('own_hold')
  })

  test('P1: another agent does where it is named, and nowhere else', async () => {
    await using unnamed = await aDeployer({})
    await using one = await unnamed.open()
    const held = await paused(one)
    expect(codeOf(await decide(one, held.hold, 'agent:lead'))).toBe('not_a_decider')
    await using place = await aDeployer({ tool: ['agent:lead'] })
    await using two = await place.open()
    const { hold, id } = await paused(two)
    expect(codeOf(await decide(two, hold, 'agent:lead'))).toBe('recorded')
    expect(await advanced(two, id)).toMatchObject({ status: 'done' })
  })
})

test.each([
  ['', 'surface'],
  ['   ', 'surface'],
])('P10: a decision of nobody (%j) is none', async decided_by => {
  await using place = await aDeployer({})
  await using holdpoint = await place.open()
  const { hold } = await paused(holdpoint)
  expect(codeOf(await decide(holdpoint, hold, decided_by))).toBe('invalid_decision')
})

const NOBODY: readonly (readonly [said: Saying, code: string])[] = [
  [{ tool: ['@gone'] }, 'invalid_agent'],
  [{ agent: ['@ops'], groups: { ops: [] } }, 'invalid_agent'],
  [{ project: ['@ops'] }, 'invalid_options'],
  [{ agent: { people: ['@ops'], quorum: 2 }, groups: { ops: ['ana', 'Ana'] } }, 'invalid_agent'],
]

test.each(NOBODY)(
  'P1: deciders like %j, whom nobody could ever be, are refused when they are loaded',
  async (said, code) => {
    await using place = await aDeployer(said)
    await expect(place.open()).rejects.toMatchObject({ code })
  },
)

test.each([
  [{ quorum: 0 }, 'quorum'],
  [{ people: ['Ana', 'ana', ' ana'], quorum: 2 }, 'only 1 may'],
  [{ people: ['ana'], quorum: 2 }, 'only 1 may'],
  [{ peolpe: ['ana'] }, 'peolpe'],
])('deciders like %j are refused when they are said', async (deciders, why) => {
  const said = deciders as DecidersOptions
  await expect(aDeployer({ tool: said })).rejects.toMatchObject({ message: expect.stringContaining(why) })
  await using place = await aDeployer({ agent: said })
  await expect(place.open()).rejects.toMatchObject({ code: 'invalid_agent', message: expect.stringContaining(why) })
  await using other = await aDeployer({ project: said })
  await expect(other.open()).rejects.toMatchObject({ code: 'invalid_options', message: expect.stringContaining(why) })
})
