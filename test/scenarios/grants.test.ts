import { describe, expect, test } from 'vitest'
import {
  defineAgent,
  type GrantInput,
  type Hold,
  type Holdpoint,
  type Json,
  type Receipt,
  type ToolContext,
} from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import {
  advanced,
  ana,
  aWorkplace,
  call,
  journalOfThread,
  onlyHold,
  openHold,
  results,
  started,
  type Workplace,
} from './workplace.ts'

const ALWAYS = { name: 'deploys', scope: 'thread' } as const
const to = (place: string) => ({ to: place })

/** A thread in which each run asks for one call of `deploy`; `second` is what differs in the second run. */
function twoRuns(second: Record<string, Json> = to('production')) {
  return [
    { calls: [call('a', 'deploy', to('production'))] },
    'Done.',
    { calls: [call('b', 'deploy', second)] },
    'Done.',
  ]
}

function aDeployer(second?: Record<string, Json>, tool: object = {}): Promise<Workplace> {
  return aWorkplace(place => ({ script: twoRuns(second), tools: [place.held('deploy', tool)] }))
}

/** The second run asks for a batch of two calls, of which one is always allowed by then. */
function aBatch(): Promise<Workplace> {
  const batch = [call('b', 'deploy', to('production')), call('c', 'drop', {})]
  return aWorkplace(it => ({
    script: [...twoRuns().slice(0, 2), { calls: batch }, 'Done.'],
    tools: [it.held('deploy'), it.held('drop')],
    holdScope: 'batch',
  }))
}

/** The first run of the agent, as far as its question. */
async function paused(holdpoint: Holdpoint): Promise<{ id: string; thread_id: string; hold: Hold }> {
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  return { ...run, hold: await onlyHold(holdpoint) }
}

/** The first run of the agent, through, with what its approval allows from then on. */
async function granted(
  holdpoint: Holdpoint,
  grant: GrantInput,
): Promise<{ id: string; thread_id: string; grant: string }> {
  const run = await paused(holdpoint)
  const receipt = await holdpoint.decide(run.hold.id, { verdict: 'approve', grant, ...ana })
  if (receipt.outcome !== 'recorded') throw new Error(JSON.stringify(receipt))
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  return { ...run, grant: receipt.decision.grant?.id ?? '' }
}

/** The next run of a thread: what it asks, by call. */
async function next(holdpoint: Holdpoint, thread: string): Promise<readonly (string | null)[]> {
  const { run_id } = await holdpoint.send(thread, { text: 'again' })
  const { holds } = await advanced(holdpoint, run_id)
  return holds.map(({ call_id }) => call_id)
}

const codeOf = (receipt: Receipt) => (receipt.outcome === 'refused' ? receipt.error.code : receipt.outcome)

describe('what is allowed for good', () => {
  test('in a thread runs there without asking, and is counted and told', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, ALWAYS)
    expect(await next(holdpoint, run.thread_id)).toEqual([])
    expect(place.effects).toEqual(['deploy', 'deploy'])
    expect(await holdpoint.grants.list()).toMatchObject([
      { id: run.grant, name: 'deploys', scope: 'thread', agent: 'worker', tool: 'deploy', granted_by: 'ana', uses: 1 },
    ])
    const gated = (await journalOfThread(holdpoint, run.thread_id)).find(
      ({ kind, data }) => kind === 'call.gated' && 'call_id' in data && data.call_id === 'b',
    )
    expect(gated?.data).toMatchObject({ grant_id: run.grant, rule: 'ana always allows it (deploys)' })
  })

  test.each(['agent:worker/run_of_its_parent', 'mcp:editor'])(
    'P1: in a project is not for what %s starts there, nor given by way of that',
    async author => {
      await using place = await aDeployer()
      await using holdpoint = await place.open()
      await granted(holdpoint, { name: 'deploys', scope: 'project' })
      const child = await holdpoint.start({ agent: 'worker', input: 'deploy', author })
      const { holds } = await advanced(holdpoint, child.id)
      expect(holds.map(({ call_id }) => call_id)).toEqual(['a'])
      const approve = { verdict: 'approve', ...ana } as const
      const wide = await holdpoint.decide(holds[0]?.id ?? '', { ...approve, grant: { name: 'all', scope: 'project' } })
      expect(codeOf(wide)).toBe('invalid_grant')
      expect(codeOf(await holdpoint.decide(holds[0]?.id ?? '', { ...approve, grant: ALWAYS }))).toBe('recorded')
    },
  )

  const REACH: readonly (readonly [scope: GrantInput['scope'], sameThread: boolean, otherThread: boolean])[] = [
    ['run', false, false],
    ['thread', true, false],
    ['project', true, true],
  ]

  test.each(REACH)('in a %s is allowed there and nowhere else', async (scope, sameThread, otherThread) => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, { name: 'deploys', scope })
    const other = await started(holdpoint)
    const { holds } = await advanced(holdpoint, other.id)
    expect(holds.length === 0).toBe(otherThread)
    expect((await next(holdpoint, run.thread_id)).length === 0).toBe(sameThread)
  })

  test('P1: with exactly these arguments is for the directory of its run', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, ALWAYS)
    const { workdir } = (await advanced(holdpoint, run.id)).profile
    expect(workdir).not.toBe('')
    expect(await holdpoint.grants.list()).toMatchObject([{ id: run.grant, workdir }])
  })

  test('in a run is allowed until that run ends', async () => {
    const again = { calls: [call('b', 'deploy', to('production'))] }
    await using place = await aWorkplace(it => ({
      script: [twoRuns()[0] ?? '', again, 'Done.'],
      tools: [it.held('deploy')],
    }))
    await using holdpoint = await place.open()
    await granted(holdpoint, { name: 'deploys', scope: 'run' })
    expect(place.effects).toEqual(['deploy', 'deploy'])
  })

  test('is not asked about again where its tool asks something itself', async () => {
    const execute = async (_: unknown, { decision, suspend }: ToolContext) => decision ?? suspend({ message: 'Sure?' })
    await using place = await aDeployer(to('production'), { execute })
    await using holdpoint = await place.open()
    const run = await paused(holdpoint)
    await holdpoint.decide(run.hold.id, { verdict: 'approve', grant: ALWAYS, ...ana })
    await advanced(holdpoint, run.id)
    await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
    await advanced(holdpoint, run.id)
    const { run_id } = await holdpoint.send(run.thread_id, { text: 'again' })
    expect(await advanced(holdpoint, run_id)).toMatchObject({ holds: [{ call_id: 'b', message: 'Sure?' }] })
    await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
    expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'done' })
  })

  test('is seen by every process on the store', async () => {
    await using place = await aDeployer()
    const run = await (async () => {
      await using holdpoint = await place.open()
      return await granted(holdpoint, ALWAYS)
    })()
    await using holdpoint = await place.open()
    expect(await next(holdpoint, run.thread_id)).toEqual([])
  })

  test('is of one agent: another one with the same tool asks', async () => {
    await using place = await aDeployer()
    const child = defineAgent({ name: 'child', model: scriptedModel(twoRuns()), tools: [place.held('deploy')] })
    const worker = defineAgent({ name: 'worker', model: scriptedModel(twoRuns()), tools: [place.held('deploy')] })
    await using holdpoint = await place.open({ open: { agents: [worker, child] } })
    await granted(holdpoint, { name: 'deploys', scope: 'project' })
    const run = await holdpoint.start({ agent: 'child', input: 'go' })
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting', holds: [{ agent: 'child' }] })
  })

  test('is what was approved: other arguments are asked about', async () => {
    await using place = await aDeployer(to('staging'))
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, ALWAYS)
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
  })

  test('is what was put in place of it, where it was edited', async () => {
    await using place = await aDeployer(to('staging'))
    await using holdpoint = await place.open()
    const run = await paused(holdpoint)
    await holdpoint.decide(run.hold.id, { verdict: 'edit', arguments: to('staging'), grant: ALWAYS, ...ana })
    await advanced(holdpoint, run.id)
    expect(await holdpoint.grants.list()).toMatchObject([{ arguments: to('staging') }])
    expect(await next(holdpoint, run.thread_id)).toEqual([])
  })

  test.each([
    [to('production-2'), []],
    [to('staging'), ['b']],
    [{}, ['b']],
    [{ to: ['production-2'] }, ['b']],
  ])('by a pattern covers %j: asks about %j', async (second, asked) => {
    await using place = await aDeployer(second as Record<string, Json>)
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, { ...ALWAYS, match: { to: 'production*' } })
    expect(await next(holdpoint, run.thread_id)).toEqual(asked)
  })
})

describe('a pattern for commands is read as that of a policy', () => {
  const COMMANDS: readonly (readonly [command: string, isCovered: boolean])[] = [
    ['echo more', true],
    ['echo more > effects.log', false],
    ['echo more; touch other', false],
    ['echo more && touch other', false],
    ['echo $(touch other)', false],
    ['PATH=. echo more', false],
    ['sudo echo more', false],
    ['printf more', false],
    ['echo "more', false],
  ]

  test.each(COMMANDS)('%s: %s', async (command, isCovered) => {
    const runs = (id: string, text: string) => ({ calls: [call(id, 'run_command', { command: text })] })
    const script = [runs('a', 'echo first'), 'Done.', runs('b', command), 'Done.']
    await using place = await aWorkplace({ script, tools: ['run_command'], policy: { default: 'prompt' } })
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, { ...ALWAYS, match: { command: 'echo *' } })
    expect(await next(holdpoint, run.thread_id)).toEqual(isCovered ? [] : ['b'])
  })
})

describe('it ends', () => {
  test.each([
    ['when its time is over', { expires_at: '2030-01-01T01:00:00.000Z' }, 3_600_000],
    ['after thirty days where nobody says when', {}, 30 * 86_400_000],
  ])('%s', async (_when, more, length) => {
    const clock = handClock('2030-01-01T00:00:00.000Z')
    await using place = await aDeployer()
    await using holdpoint = await place.open({ open: { clock } })
    const run = await granted(holdpoint, { ...ALWAYS, ...more })
    clock.advance(length - 1)
    expect(await holdpoint.grants.list()).toHaveLength(1)
    clock.advance(1)
    expect(await holdpoint.grants.list()).toEqual([])
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
  })

  test('when somebody takes it back', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const run = await granted(holdpoint, ALWAYS)
    expect(await holdpoint.grants.revoke(run.grant, { by: 'ben', surface: 'test' })).toMatchObject({
      revoked_by: 'ben',
    })
    expect(await holdpoint.grants.list()).toEqual([])
    expect(await holdpoint.grants.list({ all: true })).toMatchObject([{ id: run.grant, revoked_by: 'ben' }])
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
    await expect(holdpoint.grants.revoke('grant_9', { by: 'ben', surface: 'test' })).rejects.toMatchObject({
      code: 'unknown_grant',
    })
  })

  test('P1: when it is taken back after a call was let pass and before it starts', async () => {
    await using place = await aBatch()
    await using holdpoint = await place.open()
    const { thread_id, grant } = await granted(holdpoint, ALWAYS)
    const { run_id } = await holdpoint.send(thread_id, { text: 'again' })
    expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'c' }] })
    await holdpoint.grants.revoke(grant, { by: 'ben', surface: 'test' })
    await holdpoint.decide((await openHold(holdpoint, 'c')).id, { verdict: 'approve', ...ana })
    expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'b' }] })
    expect(place.effects).toEqual(['deploy'])
    await holdpoint.decide((await openHold(holdpoint, 'b')).id, { verdict: 'reject', ...ana })
    const done = await advanced(holdpoint, run_id)
    expect(results(done).slice(-2)).toMatchObject([
      ['b', expect.stringContaining('TOOL_CALL_REJECTED')],
      ['c', 'drop done'],
    ])
  })
})

describe('P1, P10: a grant whose row was changed by hand lets nothing pass', () => {
  const LATER = `UPDATE grants SET expires_at = expires_at + 1000`

  test.each([
    ['covers another call', `UPDATE grants SET given = replace(given, 'production', 'staging')`],
    ['covers every call', `UPDATE grants SET given = json_set(given, '$.match', json('{"to":"*"}'))`],
    ['ends later', LATER],
    ['was let pass nothing', `UPDATE grants SET uses = uses + 1`],
    ['was not revoked', `UPDATE grants SET revoked_at = NULL, revoked_by = NULL`],
    ['has another id, and so no record', `UPDATE grants SET id = 'grant_9', revoked_at = NULL, revoked_by = NULL`],
  ])('so that it %s', async (_, sql) => {
    await using place = await aDeployer(to(sql.includes('staging') ? 'staging' : 'production'))
    await using holdpoint = await place.open()
    const { thread_id, grant } = await granted(holdpoint, ALWAYS)
    if (sql.includes('revoked')) await holdpoint.grants.revoke(grant, { by: 'ben', surface: 'test' })
    place.inFile(file => file.exec(sql))
    expect(await next(holdpoint, thread_id)).toEqual(['b'])
    expect(place.effects).toEqual(['deploy'])
  })

  test('after the call was let pass and before it starts', async () => {
    await using place = await aBatch()
    await using holdpoint = await place.open()
    const { thread_id } = await granted(holdpoint, ALWAYS)
    const { run_id } = await holdpoint.send(thread_id, { text: 'again' })
    expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'c' }] })
    place.inFile(file => file.exec(LATER))
    await holdpoint.decide((await openHold(holdpoint, 'c')).id, { verdict: 'approve', ...ana })
    expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'b' }] })
    expect(place.effects).toEqual(['deploy'])
  })

  test('and one as it was given goes on letting calls pass, also if the hold of its approval was pruned', async () => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    await granted(holdpoint, { name: 'deploys', scope: 'project' })
    place.inFile(file => file.exec('DELETE FROM holds'))
    const run = await started(holdpoint)
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    expect(place.effects).toEqual(['deploy', 'deploy'])
  })
})

test('P1: a pattern covers nothing else, also where the tool itself would not ask but the policy does', async () => {
  await using place = await aWorkplace(it => ({
    script: twoRuns(to('staging')),
    tools: [it.tool('deploy', { needsApproval: args => (args as { to?: unknown }).to === 'production' })],
    policy: { tools: { deploy: 'prompt' } },
  }))
  await using holdpoint = await place.open()
  const { thread_id } = await granted(holdpoint, { ...ALWAYS, match: to('production') as Record<string, string> })
  expect(await next(holdpoint, thread_id)).toEqual(['b'])
})

test('P2: an approval is the same success again once what it allows is over', async () => {
  const clock = handClock('2030-01-01T00:00:00.000Z')
  await using place = await aDeployer()
  await using holdpoint = await place.open({ open: { clock } })
  const { hold } = await paused(holdpoint)
  const grant = { ...ALWAYS, expires_at: '2030-01-01T00:01:00.000Z' }
  const said = { verdict: 'approve', decision_id: 'click-1', grant, ...ana } as const
  const first = await holdpoint.decide(hold.id, said)
  clock.advance(60_000)
  const again = await holdpoint.decide(hold.id, said)
  expect(first).toMatchObject({ outcome: 'recorded', decision: { grant: { name: ALWAYS.name } } })
  expect(again).toEqual({ ...first, outcome: 'duplicate' })
})

describe('P1: nothing is allowed for good', () => {
  const refusalOf = async (holdpoint: Holdpoint, said: object) => {
    const { hold, ...run } = await paused(holdpoint)
    const receipt = await holdpoint.decide(hold.id, { verdict: 'approve', grant: ALWAYS, ...ana, ...said })
    expect(await holdpoint.grants.list({ all: true })).toEqual([])
    expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'open', decision: null })
    return { receipt, run }
  }

  test.each([
    ['by a rejection', { verdict: 'reject' }],
    ['without a name', { grant: { name: ' ', scope: 'run' } }],
    ['in no scope', { grant: { name: 'x', scope: 'everywhere' } }],
    ['until a time that is over', { grant: { ...ALWAYS, expires_at: '2001-01-01T00:00:00.000Z' } }],
    ['until no time', { grant: { ...ALWAYS, expires_at: 'soon' } }],
    ['by a pattern for nothing', { grant: { ...ALWAYS, match: {} } }],
    ['by a pattern that is none', { grant: { ...ALWAYS, match: { to: 7 } } }],
    ['by a pattern that misses the call itself', { grant: { ...ALWAYS, match: { to: 'staging-*' } } }],
  ])('%s', async (_how, said) => {
    await using place = await aDeployer()
    await using holdpoint = await place.open()
    const { receipt } = await refusalOf(holdpoint, said)
    expect(codeOf(receipt)).toBe('invalid_grant')
  })

  test('by whom a plugin asks, who may be nobody whom the policy would ask', async () => {
    let minded = 0
    const request = { message: 'Is it paid for?', deciders: ['ben'] }
    const minds = {
      name: 'minds',
      hooks: { beforeToolExecute: () => (minded++ < 2 ? { suspend: request } : undefined) },
    }
    await using place = await aWorkplace(it => ({
      script: twoRuns(),
      tools: [it.held('deploy', { deciders: ['ana'] })],
      plugins: [minds],
    }))
    await using holdpoint = await place.open()
    const run = await paused(holdpoint)
    await holdpoint.decide(run.hold.id, { verdict: 'approve', ...ana })
    await advanced(holdpoint, run.id)
    const ben = { verdict: 'approve', decided_by: 'ben', surface: 'code' } as const
    const { id } = await onlyHold(holdpoint)
    expect(codeOf(await holdpoint.decide(id, { ...ben, grant: ALWAYS }))).toBe('invalid_grant')
    expect(codeOf(await holdpoint.decide(id, ben))).toBe('recorded')
    await advanced(holdpoint, run.id)
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
  })

  test('by an agent, where one may decide', async () => {
    await using place = await aDeployer(undefined, { deciders: ['agent:lead'] })
    await using holdpoint = await place.open()
    const { receipt } = await refusalOf(holdpoint, { decided_by: 'agent:lead' })
    expect(codeOf(receipt)).toBe('invalid_grant')
  })

  test.each([
    ['that is destructive', { destructive: true }],
    ['that several people must approve', { deciders: { quorum: 2 } }],
  ])('of a tool %s', async (_which, tool) => {
    await using place = await aDeployer(undefined, tool)
    await using holdpoint = await place.open()
    const { receipt } = await refusalOf(holdpoint, {})
    expect(codeOf(receipt)).toBe('invalid_grant')
  })

  test('of a tool that became destructive since', async () => {
    await using place = await aDeployer()
    const run = await (async () => {
      await using holdpoint = await place.open()
      return await granted(holdpoint, ALWAYS)
    })()
    await using holdpoint = await place.open({ tools: [place.held('deploy', { destructive: true })] })
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
  })

  test('of a tool that became destructive while its call waited for its batch', async () => {
    await using place = await aBatch()
    const run_id = await (async () => {
      await using holdpoint = await place.open()
      const { thread_id } = await granted(holdpoint, ALWAYS)
      const sent = await holdpoint.send(thread_id, { text: 'again' })
      await advanced(holdpoint, sent.run_id)
      return sent.run_id
    })()
    await using later = await place.open({
      tools: [place.held('deploy', { destructive: true }), place.held('drop')],
    })
    await later.decide((await openHold(later, 'c')).id, { verdict: 'approve', ...ana })
    expect(await advanced(later, run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'b' }] })
    expect(place.effects).toEqual(['deploy'])
  })

  test('that policy never allows', async () => {
    await using place = await aDeployer()
    const policy = { default: 'auto', tools: { deploy: 'never' }, on_never: 'pause' } as const
    await using holdpoint = await place.open({ policy })
    const run = await granted(holdpoint, ALWAYS)
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
    expect(await holdpoint.grants.list()).toMatchObject([{ uses: 0 }])
  })

  test('that a plugin minds: its hold is not the policy’s', async () => {
    const minds = {
      name: 'minds',
      hooks: {
        beforeToolExecute: (_view: unknown, { id }: { id: string }) =>
          id === 'b' ? { suspend: { message: 'Really?' } } : undefined,
      },
    }
    await using place = await aDeployer()
    await using holdpoint = await place.open({ plugins: [minds] })
    const run = await granted(holdpoint, ALWAYS)
    expect(await next(holdpoint, run.thread_id)).toEqual(['b'])
  })
})

test('P1: what was let pass in a thread is asked about in its fork, and is counted once', async () => {
  await using place = await aBatch()
  await using holdpoint = await place.open()
  const { thread_id } = await granted(holdpoint, ALWAYS)
  const { run_id } = await holdpoint.send(thread_id, { text: 'again' })
  const { checkpoint_id } = await advanced(holdpoint, run_id)
  const fork = await holdpoint.fork(checkpoint_id ?? '')
  expect(await holdpoint.grants.list()).toMatchObject([{ uses: 1 }])
  const [drop] = await holdpoint.holds({ run_id: fork.run_id, status: 'open' })
  await holdpoint.decide(drop?.id ?? '', { verdict: 'approve', ...ana })
  expect(await advanced(holdpoint, fork.run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'b' }] })
  expect(place.effects).toEqual(['deploy'])
})
