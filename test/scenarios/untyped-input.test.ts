import { expect, test } from 'vitest'
import type { AdvanceResult, Holdpoint, RefusedError } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { aProject, command } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, started } from './workplace.ts'

const by = { by: 'ana', surface: 'test' }
const request = { until: 'all', seconds: 0, signal: AbortSignal.timeout(60_000), asker: by } as const

async function drained(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages) break
}

type Use = (face: Holdpoint, odd: never) => unknown

/** Every verb that takes an id. */
const BY_ID: Readonly<Record<string, Use>> = {
  advance: (face, odd) => face.advance(odd),
  cancel: (face, odd) => face.cancel(odd, { by: 'ana' }),
  run: (face, odd) => face.run(odd),
  runOutline: (face, odd) => face.runOutline(odd),
  runPaths: (face, odd) => face.runPaths([odd]),
  hold: (face, odd) => face.hold(odd),
  holdInContext: (face, odd) => face.holdInContext(odd, { rights: { see: true, decide: true } } as never),
  answer: (face, odd) => face.answer(odd, { text: 'yes', ...ana }),
  assign: (face, odd) => face.assign(odd, { assignee: 'ben', ...by }),
  messages: (face, odd) => face.messages(odd),
  thread: (face, odd) => face.thread(odd),
  journal: (face, odd) => face.journal(odd),
  checkpoints: (face, odd) => face.checkpoints(odd),
  checkpoint: (face, odd) => face.checkpoint(odd),
  fork: (face, odd) => face.fork(odd),
  send: (face, odd) => face.send(odd, { text: 'hello' }),
  follow: (face, odd) => drained(face.follow(odd)),
  'grants.revoke': (face, odd) => face.grants.revoke(odd, by),
  'audit.explain': (face, odd) => face.audit.explain(odd),
  'tasks.details': (face, odd) => face.tasks.details(odd, by),
  'tasks.wait': (face, odd) => face.tasks.wait([odd], request),
  'tasks.cancel': (face, odd) => face.tasks.cancel(odd, by),
  'tasks.goOn': (face, odd) => face.tasks.goOn(odd, by),
}

/** What untyped code may say to the other verbs. */
const ODD: Readonly<Record<string, Use>> = {
  'holds below zero': face => face.holds({ limit: -1 }),
  'half a hold': face => face.holds({ limit: 1.5 }),
  'no number of holds': face => face.holds({ limit: Number.NaN }),
  'holds of a status that is none': face => face.holds({ status: 'waiting' as never }),
  'holds of a kind that is none': face => face.holds({ kind: 'approvals' as never }),
  'holds by a field that is none': face => face.holds({ state: 'open' } as never),
  'holds by null': face => face.holds(null as never),
  'runs below zero': face => face.runs({ limit: -1 }),
  'runs of a status that is none': face => face.runs({ status: 'open' as never }),
  'a tree of a status that is none': face => face.runTree({ status: 'open' as never }),
  'tasks below zero': face => face.tasks.list({ limit: -1 }),
  'tasks of a status that is none': face => face.tasks.list({ status: 'done' as never }),
  'grants by a number': face => face.grants.list({ tool: 7 as never }),
  'records of a kind that is none': face => drained(face.audit.list({ kind: 'nothing' as never })),
  'records of no time': face => drained(face.audit.list({ since: 'yesterday' })),
  'records below zero': face => drained(face.audit.list({ limit: -1 })),
  'decisions that are no list': face => face.decideMany(undefined as never),
  'a cancel by nobody': face => face.cancel('run_1', undefined as never),
  'an assignment of nothing': face => face.assign('hold_1', undefined as never),
  'an assignment by nobody': face => face.assign('hold_1', { assignee: 'ben' } as never),
  'suggestions of no time': face => face.grants.suggest({ since: 'yesterday' }),
  'a rule of nothing': face => face.grants.add(undefined as never, by),
  'a rule without a pattern': face => face.grants.add({ agent: 'worker', tool: 't' } as never, by),
  'a rule with a misspelled end': face =>
    face.grants.add({ agent: 'worker', tool: 't', match: { a: 'b' }, expires: '7d' } as never, by),
  'a rule by nobody': face => face.grants.add({ agent: 'worker', tool: 't', match: { a: 'b' } }, {} as never),
  'a revocation by nobody': face => face.grants.revoke('grant_1', {} as never),
  'a start of nothing': face => face.start(undefined as never),
  'a start with a misspelled author': face => face.start({ agent: 'worker', input: 'go', autor: 'ana' } as never),
  'a start with a profile and more': face =>
    face.start({ profile: {}, input: 'go', author: 'ana', agent: 'x' } as never),
  'a start with a prompt': face => face.start({ agent: 'worker', prompt: 'go' } as never),
  'a cancel with a misspelled reason': face => face.cancel('run_1', { by: 'ana', raeson: 'x' } as never),
  'decisions with an option that is none': face => face.decideMany([], { al: true } as never),
  'decisions all or none by a word': face => face.decideMany([], { all: 'yes' as never }),
  'a start by a number': face => face.start({ agent: 'worker', input: 'go', author: 7 as never }),
  'a prune of nothing': face => face.prune(undefined as never),
  'an advance by a word that is none': face => face.advance('run_1', { pauseon: ['approval'] } as never),
  'an advance that pauses on nothing known': face => face.advance('run_1', { pauseOn: ['approvals'] as never }),
  'an advance by null': face => face.advance('run_1', null as never),
  'work of no number': face => face.work({ once: true, concurrency: Number.NaN }),
  'work of none at a time': face => face.work({ once: true, concurrency: 0 }),
  'work for no time': face => face.work({ once: true, graceMs: Number.NaN }),
  'an event by a word that is none': face => drained(face.follow('th_1', { from: 3 } as never)),
  'an event since nothing': face => drained(face.follow('th_1', { since: Number.NaN })),
}

const VERBS = Object.entries(BY_ID).flatMap(([name, use]) =>
  [undefined, null, 7, {}].map(
    odd => [`${name} of ${JSON.stringify(odd)}`, (face: Holdpoint) => use(face, odd as never)] as const,
  ),
)
const CASES = [
  ...VERBS,
  ...Object.entries(ODD).map(([name, use]) => [name, (face: Holdpoint) => use(face, undefined as never)] as const),
]

test('what no typed caller would say is refused in words of its own, and changes nothing', async () => {
  await using place = await aWorkplace({ script: ['Done.'] })
  await using face = await place.open()
  const run = await started(face)
  const before = await face.journal(run.thread_id)
  for (const [name, use] of CASES) {
    const thrown: unknown = await (async () => use(face))().then(
      value => ({ value }),
      error => error,
    )
    expect.soft(thrown, name).toMatchObject({ name: 'RefusedError', code: expect.any(String) })
  }
  expect(await face.journal(run.thread_id)).toEqual(before)
  expect(await face.runs()).toHaveLength(1)
})

test('a decision that is none is refused with a receipt, and the hold stays open', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 5 })] }, 'Done.'],
    tools: [place.held('pay')],
  }))
  await using face = await place.open()
  await advanced(face, (await started(face)).id)
  const { id } = await onlyHold(face)
  const edit = (amount: unknown) => ({ verdict: 'edit', arguments: { amount }, ...ana })
  const table: [said: unknown, code: string][] = [
    [undefined, 'verdict_not_possible'],
    [{ verdict: 'maybe', ...ana }, 'verdict_not_possible'],
    [{ verdict: 'approve', reson: 'fine', ...ana }, 'invalid_decision'],
    [{ verdict: 'approve', digets: 'sha256:0', ...ana }, 'invalid_decision'],
    [{ verdict: 'approve', ...ana, grant: { name: 'pay', scope: 'run', expires: '2030-01-01' } }, 'invalid_grant'],
    [edit(Number.NaN), 'invalid_decision'],
    [edit(Number.POSITIVE_INFINITY), 'invalid_decision'],
    [edit([1, undefined]), 'invalid_decision'],
    [edit({ deep: { er: () => 5 } }), 'invalid_decision'],
  ]
  for (const [said, code] of table)
    expect.soft(await face.decide(id, said as never)).toMatchObject({ outcome: 'refused', error: { code } })
  expect(await face.decide(undefined as never, { verdict: 'approve', ...ana })).toMatchObject({
    outcome: 'refused',
    error: { code: 'invalid_decision' },
  })
  expect(await face.decideMany([undefined as never])).toMatchObject([{ outcome: 'refused' }])
  const said = await face.decide(id, edit(Number.NaN) as never)
  expect(said.outcome === 'refused' && said.error.message).toContain('arguments.amount is NaN')
  expect(await onlyHold(face)).toMatchObject({ id, status: 'open' })
  expect(place.effects).toEqual([])
})

test('a word that a verb does not take is refused, and its message names the words that it takes', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 5 })] }, 'Done.'],
    tools: [place.held('pay')],
  }))
  await using face = await place.open()
  const { id: run, thread_id } = await started(face)
  await advanced(face, run)
  const { id } = await onlyHold(face)
  const before = await face.journal(thread_id)
  const refusal = async (use: () => Promise<unknown>) => {
    const receipt = await use().catch((error: unknown) => ({ outcome: 'refused', error }))
    expect(receipt).toMatchObject({ outcome: 'refused', error: { name: 'RefusedError' } })
    const { message, hint } = (receipt as { error: RefusedError }).error
    return `${message} ${hint}`
  }
  const table: [use: () => Promise<unknown>, names: string][] = [
    [() => face.decide(id, { verdict: 'approve', decidedBy: 'ana', surface: 'test' } as never), 'decided_by'],
    [() => face.decide(id, { verdict: 'approve', surface: 'test' } as never), '`decided_by`'],
    [() => face.decide(id, { verdict: 'approve', decided_by: 'ana' } as never), '`surface`'],
    [() => face.answer(id, { txt: 'yes', ...ana } as never), 'text'],
    [() => face.answer(id, { text: 'yes', digets: 'sha256:0', ...ana } as never), 'digest'],
    [
      () =>
        face
          .advance(run, { decisions: [{ hold_id: id, verdict: 'approve', reson: 'x', ...ana } as never] })
          .then(refusedOnly),
      'reason',
    ],
    [() => face.send(thread_id, { text: 'hello' }, { while_waiting: 'queue' } as never), 'whileWaiting'],
    [() => face.start({ agent: 'worker', prompt: 'go' } as never), 'input'],
    [() => face.cancel(run, { by: 'ana', raeson: 'x' } as never), 'reason'],
  ]
  for (const [use, names] of table) expect.soft(await refusal(use)).toContain(names)
  expect(await face.journal(thread_id)).toEqual(before)
  expect(await onlyHold(face)).toMatchObject({ id, status: 'open' })
})

test('the id of another thing is refused with a hint that says of which', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [place.held('A')],
  }))
  await using face = await place.open()
  const { id: run, thread_id } = await started(face)
  await advanced(face, run)
  const hold = await onlyHold(face)
  const hintOf = async (use: () => unknown) => {
    const thrown = await (async () => use())().catch((error: unknown) => error)
    return (thrown as { error?: RefusedError }).error?.hint ?? (thrown as RefusedError).hint
  }
  const approve = { verdict: 'approve', ...ana } as const
  const table: [use: () => unknown, hint: string][] = [
    [() => face.advance(thread_id), 'the id of a session; that of a run begins with run_'],
    [() => face.run(hold.id), 'the id of a hold; that of a run begins with run_'],
    [() => face.cancel(thread_id, { by: 'ana' }), 'the id of a session; that of a run begins with run_'],
    [() => face.decide(run, approve), 'the id of a run; that of a hold begins with hold_'],
    [() => face.assign(run, { assignee: 'ben', ...by }), 'the id of a run; that of a hold begins with hold_'],
    [() => drained(face.follow(run)), 'the id of a run; that of a session begins with th_'],
    [() => face.send(run, { text: 'hello' }), 'the id of a run; that of a session begins with th_'],
    [() => face.grants.revoke(hold.id, by), 'the id of a hold; that of a grant begins with grant_'],
  ]
  for (const [use, hint] of table) expect.soft(await hintOf(use)).toContain(hint)
  expect(await hintOf(() => face.advance('run_none'))).toBe('List the runs to find it.')
})

function refusedOnly(result: AdvanceResult): unknown {
  return 'receipts' in result ? result.receipts[0] : result
}

test('--match is refused if the tool has no such argument or the call itself is not covered, and nothing is approved', async () => {
  await using project = await aProject({ script: [{ calls: [command('tc_1', 'echo done')] }, 'Done.'] })
  const paused = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
  const [{ hold_id }] = paused.json.pause_reason.pending_tool_calls
  const allow = (match: string) =>
    project.holdpoint('approve', hold_id, '--always', 'echo', '--scope', 'run', '--match', match, '--json')
  const refused = await allow('comand=echo *')
  expect(refused.exit).toBe(2)
  expect(JSON.stringify(refused.json)).toContain('no such argument (it has: command')
  const missing = await allow('command=ls *')
  expect(missing).toMatchObject({ exit: 2, json: { error: { code: 'invalid_grant' } } })
  expect(missing.json.error.message).toContain('its match {"command":"ls *"} does not cover this call itself')
  expect((await project.holdpoint('holds', '--json')).stdout).toContain(hold_id)
  expect((await allow('command=echo *')).exit).toBe(0)
})

test('to assign a hold that is overdue fires its deadline first, and assigns nothing', async () => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [place.held('A', { due: { seconds: 60, onDue: 'reject' } })],
    open: { clock },
  }))
  await using face = await place.open()
  await advanced(face, (await started(face)).id)
  const { id, thread_id } = await onlyHold(face)
  clock.advance(60_000)
  await expect(face.assign(id, { assignee: 'ben', by: 'ana' })).rejects.toMatchObject({ code: 'hold_not_open' })
  expect(await face.hold(id)).toMatchObject({ status: 'expired', assignee: null, decision: { verdict: 'reject' } })
  expect((await face.journal(thread_id)).some(({ kind }) => kind === 'hold.assigned')).toBe(false)
})

test('to assign a hold whose deadline escalates it assigns what it became', async () => {
  const clock = handClock()
  const due = { seconds: 60, escalation: [{ assignee: 'boss', seconds: 60 }] }
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [place.held('A', { due })],
    open: { clock },
  }))
  await using face = await place.open()
  await advanced(face, (await started(face)).id)
  const { id } = await onlyHold(face)
  clock.advance(60_000)
  expect(await face.assign(id, { assignee: 'ben', by: 'ana' })).toMatchObject({ assignee: 'ben', level: 1 })
})
