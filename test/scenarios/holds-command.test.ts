import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { shownAct } from '../../src/core/hold-view/hold-document.ts'
import type { Hold, Holdpoint, Principal } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { aProject, command, ended, Project } from './project.ts'
import { wholeProject } from './whole-project.ts'
import { advanced, aWorkplace, call, openHold, type Workplace } from './workplace.ts'

const ODD = 'echo a\u202eb\u200b\u001b[2K\u{e0041}'
const HIDDEN = ['\u202e', '\u200b', '\u001b', '\u{e0041}']
const SCRIPT = [
  {
    calls: [
      call('c1', 'pay', { amount: 7 }),
      call('c2', 'run', { command: `${ODD}${' '.repeat(300)}; rm -rf /` }),
      call('c3', 'ask'),
    ],
  },
  'Done.',
]

/** A run with three holds: one for two people of finance, one that hides things, and a question for ben. */
async function aPlace(): Promise<Workplace> {
  return aWorkplace(place => ({
    script: SCRIPT,
    tools: [
      place.held('pay', {
        destructive: true,
        deciders: { people: ['@finance'], quorum: 2 },
        due: {
          seconds: 7_200,
          onDue: 'escalate',
          remindAfter: [1_800, 3_600],
          escalation: [{ assignee: '@managers', seconds: 3_600 }],
          finally: 'reject',
        },
      }),
      place.held('run'),
      place.tool('ask', {
        execute: async (_args, { suspend, decision }) =>
          decision?.value ?? suspend({ message: 'Which region?', choices: ['eu', 'us'], assignee: 'ben', dueAt: null }),
      }),
    ],
    open: { groups: { finance: ['ben', 'carla'], managers: ['eve'] }, clock },
  }))
}

/** It stands still, a moment ago, so that what the command line tells of times is the same in every run. */
const clock = handClock(Date.now() - 5_000)

/** The command line on the same store. */
function shellAt(place: Workplace): Project {
  return new Project(place.directory, { HOLDPOINT_STORE: `sqlite:${place.file}` })
}

async function heldRun(holdpoint: Holdpoint): Promise<string> {
  const run = await holdpoint.start({ agent: 'worker', input: 'go', author: 'dora' })
  await advanced(holdpoint, run.id)
  return run.id
}

/** The keys that all documents share. */
function idsOf({ id: hold_id, thread_id: session_id }: Hold): { hold_id: string; session_id: string } {
  return { hold_id, session_id }
}

function callIds(holds: readonly Hold[]): (string | null)[] {
  return holds.map(({ call_id }) => call_id)
}

describe('with holds of several people', () => {
  let place: Workplace
  let shell: Project
  let holdpoint: Holdpoint
  let run: string

  beforeAll(async () => {
    place = await aPlace()
    shell = shellAt(place)
    holdpoint = await place.open()
    run = await heldRun(holdpoint)
  })
  afterAll(async () => {
    await holdpoint[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  test('what is open is listed in full, oldest first', async () => {
    const { exit, json, stderr } = await shell.holdpoint('holds', '--json')
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    const path = [{ run_id: run, agent: 'worker' }]
    const { checkpoint_id } = await holdpoint.run(run)
    expect(json).toEqual(
      (await holdpoint.holds({ status: 'open' })).map(hold => ({
        ...hold,
        ...idsOf(hold),
        ...shownAct(hold),
        path,
        checkpoint_id,
      })),
    )
    expect(callIds(json)).toEqual(['c1', 'c2', 'c3'])
  })

  const filters: readonly [args: string[], found: string[]][] = [
    [['--kind', 'question'], ['c3']],
    [
      ['--agent', 'worker'],
      ['c1', 'c2', 'c3'],
    ],
    [['--agent', 'another'], []],
    [['-t', 'pay'], ['c1']],
    [['--run', 'run_0000000000000000'], []],
    [['--session', 'th_0000000000000000'], []],
    [['--assignee', 'ben'], ['c3']],
    [['--status', 'decided'], []],
    [
      ['--status', 'all', '--kind', 'approval'],
      ['c1', 'c2'],
    ],
    [['--kind', 'approval', '--tool', 'ask'], []],
  ]

  test.for(filters)('%j lists those alone', async ([args, found]) => {
    expect(callIds((await shell.holdpoint('holds', '--json', ...args)).json)).toEqual(found)
  })

  test.each([
    ['ben', ['c1', 'c2', 'c3']],
    ['carla', ['c1', 'c2', 'c3']],
    ['dora', ['c2', 'c3']],
    ['agent:worker/run_1', []],
  ])('--mine lists for %s what is theirs to decide', async (actor, found) => {
    const { json } = await shell.run(['holds', '--mine', '--json'], { env: { HOLDPOINT_ACTOR: actor } })
    expect(callIds(json)).toEqual(found)
  })

  test('pages follow one another, and each says how to get the next one', async () => {
    const first = await shell.holdpoint('holds', '--limit', '2', '--run', run)
    expect(first.stdout.split('\n').slice(1, -1)).toHaveLength(2)
    const [, next = ''] = /^There are more: holdpoint (.*)\n$/.exec(first.stderr) ?? []
    const second = await shell.holdpoint(...next.split(' '), '--json')
    expect(callIds(second.json)).toEqual(['c3'])
    expect((await shell.holdpoint('holds', '--limit', '3')).stderr).toBe('')
  })

  const wrong: readonly [args: string[], code: string][] = [
    [['--kind', 'aproval'], 'invalid_arguments'],
    [['--status', 'closed'], 'invalid_arguments'],
    [['--limit', '0'], 'invalid_arguments'],
    [['all'], 'invalid_arguments'],
    [['--after', 'hold_0000000000000000'], 'unknown_hold'],
    [['--watch', '--status', 'all'], 'invalid_arguments'],
    [['--watch', '--after', 'hold_0000000000000000'], 'invalid_arguments'],
  ]

  test.for(wrong)('%j is refused', async ([args, code]) => {
    const refused = await shell.holdpoint('holds', ...args, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused', error: { code } } })
  })

  test('P9: neither the list nor what is shown of a hold hides anything, and nothing is cut', async () => {
    const { id } = await openHold(holdpoint, 'c2')
    for (const [args, sign] of [
      [['holds'], '\\u001b'],
      [['show', id], '\\u{1b}'],
    ] as const) {
      const { stdout } = await shell.run([...args], { env: { FORCE_COLOR: '0' } })
      expect(stdout).toContain(`echo a\\u{202e}b\\u{200b}${sign}[2K\\u{e0041}${' '.repeat(300)}; rm -rf /`)
      for (const hidden of HIDDEN) expect(stdout).not.toContain(hidden)
      expect(stdout).not.toContain('\t')
    }
  })

  test('a hold is shown with who must decide it, what becomes of it otherwise, and the commands', async () => {
    const { id, digest } = await openHold(holdpoint, 'c1')
    const { stdout } = await shell.holdpoint('show', id)
    for (const shown of [
      '    pay\n',
      '    amount: 7\n',
      'go · asked by dora · in ',
      digest,
      'ben, carla; 2 different people must approve, 0 did so far',
      /asked by +dora/,
      /due +in 1 h 59 min \(.*\): escalated to @managers, who have 1 h; then rejected/,
      /reminders +2 left: /,
      'opened: ',
      `holdpoint approve ${id}`,
      `holdpoint edit ${id}`,
      `holdpoint reject ${id} --reason TEXT`,
    ])
      expect(stdout).toEqual(
        typeof shown === 'string' ? expect.stringContaining(shown) : expect.stringMatching(shown ?? ''),
      )
  })

  test('looking at holds changes nothing', async () => {
    const before = await wholeProject(shell)
    const { id } = await openHold(holdpoint, 'c3')
    await shell.holdpoint('holds')
    await shell.holdpoint('show', id)
    expect((await wholeProject(shell)).tables).toEqual(before.tables)
  })
})

test('a hold is shown with all that happened to it, and what was answered before in its run', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await heldRun(holdpoint)
  const [pay, ask] = [await openHold(holdpoint, 'c1'), await openHold(holdpoint, 'c3')]
  await holdpoint.answer(ask.id, { text: 'eu', decided_by: 'ben', surface: 'chat' })
  await holdpoint.answer(pay.id, { text: 'perhaps', decided_by: 'ben', surface: 'chat' })
  await holdpoint.assign(pay.id, { assignee: 'carla', by: 'ben', reason: 'knows more' })
  clock.advance(1_900_000)
  await holdpoint.expireHolds()
  await holdpoint.decide(pay.id, { verdict: 'approve', decided_by: 'ben', surface: 'chat' })
  clock.advance(5_400_000)
  await holdpoint.expireHolds()

  const { json } = await shellAt(place).holdpoint('show', pay.id, '--json')
  expect(json).toMatchObject(JSON.parse(JSON.stringify(await holdpoint.hold(pay.id))))
  expect(json.history.map(({ what, by }: { what: string; by: string }) => [what, by])).toEqual([
    ['opened', null],
    ['unclear', 'ben'],
    ['assigned', 'ben'],
    ['reminded', null],
    ['voted', 'ben'],
    ['reminded', null],
    ['escalated', null],
  ])
  expect(json.at_deadline).toMatch(/^in .*: rejected$/)
  expect(json.earlier_answers).toMatchObject([
    { hold_id: ask.id, question: 'Which region?', answer: 'eu', answered_by: 'ben' },
  ])

  const { stdout } = await shellAt(place).holdpoint('show', pay.id)
  for (const shown of ['Which region? -> eu (ben, ', 'ben, carla, eve; 2 different', '1 did so far', '(knows more)'])
    expect(stdout).toContain(shown)
})

test('P8: a program and the command line are shown the same of a hold, each with what its principal may do', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await heldRun(holdpoint)
  const { id } = await openHold(holdpoint, 'c1')
  const { at_deadline: _when, ...seen } = (await holdpoint.holdInContext(id, principal('ben'))) ?? { at_deadline: null }
  const { json } = await shellAt(place).run(['show', id, '--json'], { env: { HOLDPOINT_ACTOR: 'ben' } })
  expect(json).toMatchObject(JSON.parse(JSON.stringify(seen)))
  expect(json).toMatchObject({
    may_decide: true,
    because: { plugin: 'policy' },
    siblings: [{ call_id: 'c2', status: 'suspended' }, { call_id: 'c3' }],
  })
  expect(await holdpoint.holdInContext(id, principal('dora'))).toMatchObject({ may_decide: { code: 'not_a_decider' } })
})

test('who may only look is shown a hold and told so; who may not even look finds none', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await heldRun(holdpoint)
  const { id } = await openHold(holdpoint, 'c1')
  const looking = await holdpoint.holdInContext(id, principal('ben', { see: true, decide: false }))
  expect(looking).toMatchObject({ id, may_decide: { code: 'may_only_look' } })
  expect(await holdpoint.holdInContext(id, principal('ben', { see: false, decide: false }))).toBeNull()
  expect(await holdpoint.holdInContext('hold_unknown', principal('ben'))).toBeNull()
})

function principal(name: string, rights: Principal['rights'] = { see: true, decide: true }): Principal {
  return { name, kind: 'person', groups: [], proven: 'claimed', rights }
}

test('where nothing was run yet there is no store, and looking leaves nothing behind', async () => {
  await using project = await aProject()
  expect(await project.holdpoint('holds')).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining('no store here'),
  })
  expect(await project.holdpoint('holds', '--watch', '-o', 'json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'no_store' } },
  })
  expect(await wholeProject(project)).toEqual({ files: {}, tables: {} })
})

/** A watch whose lines can be waited for. */
function watching(project: Project, ...args: string[]) {
  const child = project.start(['holds', '--watch', ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  const finished = ended(child)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return { child, finished, next: async (): Promise<string> => (await lines.next()).value ?? '' }
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a watch tells what other processes open and decide, until %s',
  async signal => {
    await using project = await aProject({ script: [{ calls: [command('t1', 'true')] }, 'Done.'] })
    const pause = async () => (await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).json
    const [first] = (await pause()).pause_reason.pending_tool_calls
    const watch = watching(project, ...(signal === 'SIGTERM' ? ['--json'] : []))
    const next = async () => {
      const line = await watch.next()
      if (signal === 'SIGINT') return line.replaceAll(/ +/g, ' ')
      const { change, hold } = JSON.parse(line)
      return `${change} ${hold.id} ${hold.kind} ${hold.agent} ${hold.tool} ${hold.status}`
    }
    const about = 'approval default run_command'
    const ending = {
      SIGINT: ['{"command":"true"}', '[approved by ana] {"command":"true"}'],
      SIGTERM: ['open', 'decided'],
    }[signal] as [string, string]
    expect(await next()).toBe(`opened ${first.hold_id} ${about} ${ending[0]}`)

    const { checkpoint_id, pause_reason } = await pause()
    const { hold_id } = pause_reason.pending_tool_calls[0]
    expect(await next()).toBe(`opened ${hold_id} ${about} ${ending[0]}`)
    await project.holdpoint('-c', checkpoint_id, '--approve-all')
    expect(await next()).toBe(`closed ${hold_id} ${about} ${ending[1]}`)

    watch.child.kill(signal)
    expect(await watch.finished).toMatchObject({ exit: signal === 'SIGINT' ? 130 : 143, stderr: '' })
  },
)

test('a watch whose reader leaves is over, with exit 0', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const watch = watching(shellAt(place))
  await heldRun(holdpoint)
  expect(await watch.next()).toContain('opened')
  watch.child.stdout?.destroy()
  await heldRun(holdpoint)
  expect(await watch.finished).toMatchObject({ exit: 0 })
})

test('a hold of the list names the pause that a resume takes, and a question speaks of no approvals', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 'q1', name: 'ask_human', args: { question: 'Which?' } }] }, 'Done.'],
    config: { deciders: { quorum: 2, not_requester: true } },
  })
  const paused = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
  const { json } = await project.holdpoint('holds', '--json')
  expect(json).toMatchObject([{ kind: 'question', checkpoint_id: paused.json.checkpoint_id }])
  const shown = await project.holdpoint('show', json[0].id)
  expect(shown.stdout).toMatch(/may decide +anybody but the agent itself\n/)
  expect(shown.stdout).not.toMatch(/approve/)
  expect(await project.holdpoint('-c', json[0].checkpoint_id, '--answer', 'q1=this one')).toMatchObject({ exit: 0 })
})
