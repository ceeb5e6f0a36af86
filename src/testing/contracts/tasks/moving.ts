import { TASK_MAY_BECOME, TASK_STATUSES } from '../../../core/task/task.ts'
import type { Requester, TaskMove } from '../../../core/task/task-move.ts'
import type { Kit } from '../contract-kit.ts'

import { A_SECOND_LATER, ANA, allTasks, aMove, aTask, aTaskThatIs, BEN, recordsOf, START } from './sample-task.ts'

export function movingTasks({ test, expect, scene }: Kit): void {
  test('the times of an invocation follow from its status', async () => {
    await using it = await scene()
    const { tasks } = it.store
    await tasks.create(aTask())
    await it.clock.advance(1000)
    const running = await tasks.move(aMove('running', { from: ['pending'], change: { supervisor: 'here 1' } }))
    expect(running).toMatchObject({ status: 'running', created_at: START, updated_at: A_SECOND_LATER })
    expect(running?.invocation).toMatchObject({ status: 'running', started_at: A_SECOND_LATER, ended_at: null })
    await it.clock.advance(1000)
    const change = { exit_code: 10, stdout_bytes: 5, stderr_bytes: 0 }
    const paused = await tasks.move(aMove('paused', { from: ['running'], change }))
    const ended_at = '2030-01-01T00:00:02.000Z'
    expect(paused?.invocation).toMatchObject({ status: 'paused', started_at: A_SECOND_LATER, ended_at, ...change })
    expect(paused?.invocation).toMatchObject({ supervisor: 'here 1' })
    await it.clock.advance(1000)
    const over = await tasks.move(aMove('completed', { from: ['paused'] }))
    expect(over?.invocation).toMatchObject({ status: 'completed', ended_at, exit_code: 10 })
  })

  test('a change without a new status leaves the status and the times', async () => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, 'running')
    await it.clock.advance(1000)
    const change = { process: 'here 2', error: { code: 'odd', message: 'It is odd.' }, signal: 'SIGTERM' }
    const moved = await it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['running'], change })
    expect(moved).toEqual({
      ...task,
      updated_at: A_SECOND_LATER,
      invocation: { ...task.invocation, ...change },
    })
  })

  test.each<[what: string, stale: Partial<TaskMove>]>([
    ['another status', { from: ['pending', 'paused'] }],
    ['another invocation', { invocation: 2 }],
    ['another supervisor', { supervisor: 'here 2' }],
    ['no supervisor', { supervisor: null }],
  ])('whoever saw %s moves nothing', async (_what, stale) => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, 'running')
    const audit = await it.store.audit({})
    await it.clock.advance(1000)
    const move = aMove('cancelled', { from: ['running'], cancel: ANA, change: { exit_code: 1 }, ...stale })
    expect(await it.store.tasks.move(move)).toBeNull()
    expect(await allTasks(it.store)).toEqual([[task, [task.invocation]]])
    expect(await it.store.audit({})).toEqual(audit)
  })

  test('a task that runs can be about another run from here on, in the same invocation', async () => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, 'running', { subject: 'run_1' })
    const move = { task_id: 'task_1', invocation: 1, from: ['running'], about: 'run_2' } as const
    expect(await it.store.tasks.move(move)).toEqual({ ...task, subject: 'run_2' })
    expect(await it.store.tasks.move({ ...move, from: ['paused'], about: 'run_3' })).toBeNull()
    expect(await it.store.tasks.tasks({ subject: 'run_2' })).toHaveLength(1)
  })

  test('of many that move it at once, one does', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    const ends = (['completed', 'failed', 'timed_out', 'cancelled', 'paused'] as const).map(to =>
      it.store.tasks.move(aMove(to, { from: ['running'] })),
    )
    const moved = (await Promise.all(ends)).filter(task => task !== null)
    expect(moved).toHaveLength(1)
    expect(await it.store.tasks.task('task_1')).toEqual(moved[0])
  })

  const MOVES = TASK_STATUSES.flatMap(from => TASK_STATUSES.map(to => [from, to] as const))

  test.each(MOVES)('from %s to %s it goes as the table says', async (from, to) => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, from)
    const next = to === 'pending' ? { next: { ...ANA, argv: ['again'] } } : {}
    const moving = it.store.tasks.move(aMove(to, { from: [from], invocation: task.invocation.n, ...next }))
    if (TASK_MAY_BECOME[from][to]) expect(await moving).toMatchObject({ status: to })
    else {
      await expect(moving).rejects.toMatchObject({ code: 'illegal_task_move' })
      expect(await it.store.tasks.task('task_1')).toEqual(task)
    }
  })

  test.each<[what: string, move: Partial<TaskMove>]>([
    ['pending without a next invocation', { from: ['paused'], to: 'pending' }],
    ['anything but pending with one', { from: ['paused'], to: 'completed', next: { ...ANA, argv: ['again'] } }],
    ['what it may become of one of two statuses only', { from: ['paused', 'running'], to: 'timed_out' }],
    ['by a wish what it may not become', { from: ['paused'], to: 'failed', to_if_cancel_requested: 'timed_out' }],
    ['wanted cancelled while it rests', { from: ['paused'], cancel: ANA }],
  ])('it never becomes %s', async (_what, move) => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, 'paused')
    const moving = it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['paused'], ...move })
    await expect(moving).rejects.toMatchObject({ code: 'illegal_task_move' })
    expect(await allTasks(it.store)).toEqual([[task, [task.invocation]]])
  })

  test('the next invocation leaves the one before as it was, and the history has both', async () => {
    await using it = await scene()
    const paused = await aTaskThatIs(it.store.tasks, 'paused')
    await it.clock.advance(1000)
    const next = { ...BEN, argv: ['again', '--loud'] }
    const resumed = await it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['paused', 'failed'], next })
    expect(resumed).toMatchObject({ id: 'task_1', status: 'pending', created_at: START, updated_at: A_SECOND_LATER })
    expect(resumed?.invocation).toMatchObject({ n: 2, status: 'pending', ...next, asked_at: A_SECOND_LATER })
    expect(resumed?.invocation).toMatchObject({ supervisor: null, exit_code: null, started_at: null, ended_at: null })
    expect(await it.store.tasks.invocations('task_1')).toEqual([paused.invocation, resumed?.invocation])
    expect(await it.store.tasks.tasks({})).toEqual([resumed])
  })

  test('a pause that was resumed is not taken for the next one', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'paused')
    const seen = { task_id: 'task_1', invocation: 1, from: ['paused'], next: { ...BEN, argv: ['again'] } } as const
    await it.store.tasks.move(seen)
    await it.store.tasks.move(aMove('running', { invocation: 2, from: ['pending'] }))
    const paused = await it.store.tasks.move(aMove('paused', { invocation: 2, from: ['running'] }))
    expect(await it.store.tasks.move(seen)).toBeNull()
    expect(await it.store.tasks.tasks({})).toEqual([paused])
  })

  test('who wants it cancelled is known until it rests; whoever says so again changes nothing', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    const want = (cancel: Requester) =>
      it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['pending', 'running'], cancel })
    expect(await want(ANA)).toMatchObject({ status: 'running', cancel_requested_by: 'ana' })
    expect(await want(BEN)).toMatchObject({ status: 'running', cancel_requested_by: 'ana' })
    const change = await it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['running'], change: {} })
    expect(change).toMatchObject({ cancel_requested_by: 'ana' })
    const over = await it.store.tasks.move(aMove('cancelled', { from: ['running'] }))
    expect(over).toMatchObject({ status: 'cancelled', cancel_requested_by: null })
    expect(await recordsOf(it.store, 'task.cancelled')).toMatchObject([{ actor: 'ana', surface: 'cli' }])
  })

  test.each(['completed', 'failed', 'timed_out', 'paused'] as const)(
    'one that %s by itself is wanted cancelled no more',
    async to => {
      await using it = await scene()
      await aTaskThatIs(it.store.tasks, 'running')
      await it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['running'], cancel: ANA })
      const moved = await it.store.tasks.move(aMove(to, { from: ['running'] }))
      expect(moved).toMatchObject({ status: to, cancel_requested_by: null })
    },
  )

  test('where a move leads may depend on whether somebody wanted it cancelled before', async () => {
    await using it = await scene()
    const pause = (task_id: string) =>
      it.store.tasks.move(aMove('paused', { task_id, from: ['running'], to_if_cancel_requested: 'cancelled' }))
    await aTaskThatIs(it.store.tasks, 'running')
    await aTaskThatIs(it.store.tasks, 'running', { id: 'task_2' })
    await it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['running'], cancel: ANA })
    const cancelled = await pause('task_1')
    expect(cancelled).toMatchObject({ status: 'cancelled', invocation: { status: 'cancelled', ended_at: START } })
    expect(await pause('task_2')).toMatchObject({ status: 'paused', invocation: { status: 'paused' } })
  })

  test.each(['pending', 'paused', 'failed'] as const)('one that is %s is cancelled at once', async from => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, from)
    const cancelled = await it.store.tasks.move(aMove('cancelled', { from: [from], cancel: BEN }))
    expect(cancelled).toMatchObject({ status: 'cancelled', cancel_requested_by: null })
    expect(await recordsOf(it.store, 'task.cancelled')).toMatchObject([{ actor: 'ben', surface: 'mcp' }])
  })

  test('P10: who started, resumed and cancelled it is on record, without what was asked for', async () => {
    await using it = await scene()
    await it.store.tasks.create(aTask({ subject: 'run_1', argv: ['secret'] }))
    await it.store.tasks.create(aTask({ id: 'task_2', subject: 'something else' }))
    await it.store.tasks.move(aMove('failed', { from: ['pending'] }))
    await it.store.tasks.move({
      task_id: 'task_1',
      invocation: 1,
      from: ['failed'],
      next: { ...BEN, argv: ['secret'] },
    })
    await it.store.tasks.move(aMove('cancelled', { invocation: 2, from: ['pending'], cancel: ANA }))
    const about = { task_id: 'task_1', kind: 'command' }
    const argv_digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
    const records = await recordsOf(it.store)
    expect(records).toMatchObject([
      {
        kind: 'task.started',
        actor: 'ana',
        surface: 'cli',
        run_id: 'run_1',
        data: { ...about, invocation: 1, argv_digest },
      },
      { kind: 'task.started', run_id: null, data: { task_id: 'task_2' } },
      {
        kind: 'task.ended',
        actor: null,
        run_id: 'run_1',
        data: { ...about, invocation: 1, status: 'failed', exit_code: null },
      },
      {
        kind: 'task.resumed',
        actor: 'ben',
        surface: 'mcp',
        run_id: 'run_1',
        data: { ...about, invocation: 2, argv_digest },
      },
      { kind: 'task.cancelled', actor: 'ana', run_id: 'run_1', data: { ...about, invocation: 2 } },
      { kind: 'task.ended', data: { ...about, invocation: 2, status: 'cancelled' } },
    ])
    expect(records[0]?.data['argv_digest']).toBe(records[3]?.data['argv_digest'])
    expect(JSON.stringify(records)).not.toContain('secret')
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
  })
}
