/** What the registry of tasks in a store must keep (ports/store/task-registry.ts). Part of `storeContract`. */
import type { AuditRecord } from '../../core/audit/audit.ts'
import { TASK_MAY_BECOME, TASK_RESTS, TASK_STATUSES, type Task, type TaskStatus } from '../../core/task/task.ts'
import type { NewTask, Requester, TaskMove } from '../../core/task/task-move.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Start } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
import type { TaskQuery, TaskRegistry } from '../../ports/store/task-registry.ts'
import type { Kit } from './contract-kit.ts'
import { aStart, everything } from './store-samples.ts'

const ANA: Requester = { by: 'ana', surface: 'cli' }
const BEN: Requester = { by: 'ben', surface: 'mcp' }
const START = '2030-01-01T00:00:00.000Z'
const A_SECOND_LATER = '2030-01-01T00:00:01.000Z'

export function keepingTasks({ test, expect, scene }: Kit): void {
  test('a new task is pending, with its first invocation, and comes back as it was', async () => {
    await using it = await scene()
    const details = { agent: 'writer', deep: [1, null, { text: `'; DROP TABLE tasks; --` }] }
    const argv = ['sh', '-c', 'echo "$1"', '--', '; rm -rf "$HOME"\n', '', 'ä€😀']
    const asked = aTask({ kind: 'agent', subject: 'run_1', details, argv, timeout_ms: 5000, ...BEN })
    const created = await it.store.tasks.create(asked)
    expect(created).toEqual({
      ...{ id: 'task_1', status: 'pending', kind: 'agent', title: 'Say hello', subject: 'run_1', details },
      ...{ workdir: '/project', timeout_ms: 5000, created_at: START, updated_at: START, cancel_requested_by: null },
      invocation: {
        ...{ n: 1, status: 'pending', argv, by: 'ben', surface: 'mcp', asked_at: START, started_at: null },
        ...{ ended_at: null, supervisor: null, process: null, exit_code: null, signal: null, error: null },
        ...{ stdout_bytes: null, stderr_bytes: null },
      },
    })
    expect(await it.store.tasks.task('task_1')).toEqual(created)
    expect(await it.store.tasks.invocations('task_1')).toEqual([created.invocation])
  })

  test('what nobody knows is absent', async () => {
    await using it = await scene()
    expect(await it.store.tasks.task('task_9')).toBeNull()
    expect(await it.store.tasks.invocations('task_9')).toEqual([])
    expect(await it.store.tasks.tasks({})).toEqual([])
    expect(await it.store.tasks.move(aMove('running', { task_id: 'task_9', from: ['pending'] }))).toBeNull()
  })

  test.each([
    ['id', { subject: 'run_2' }],
    ['subject', { id: 'task_2' }],
  ])(
    'of many that are created at once with the same %s, one is there, and the others are told which',
    async (_what, of) => {
      await using it = await scene()
      const create = (n: number) => it.store.tasks.create(aTask({ subject: 'run_1', title: `Number ${n}` }))
      const created = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => create(n)))
      expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const before = await allTasks(it.store)
      const refused = it.store.tasks.create(aTask({ subject: 'run_1', ...of }))
      await expect(refused).rejects.toMatchObject({ code: 'task_exists', details: { task_id: 'task_1' } })
      expect(await allTasks(it.store)).toEqual(before)
      expect(await it.store.audit({})).toHaveLength(1)
    },
  )

  test('a run and the task that is to go on with it are started together, or neither is', async () => {
    await using it = await scene()
    await it.store.start({ ...aStart(), task: aTask({ subject: 'run_1' }) })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
    expect(await it.store.tasks.task('task_1')).toMatchObject({ status: 'pending', subject: 'run_1' })
    expect(JSON.stringify(await it.store.audit({}))).toContain('task.started')
    const before = [await everything(it.store), await allTasks(it.store)]
    const second = it.store.start({ ...aStart({ run: 'run_2', thread: 'th_2' }), task: aTask({ subject: 'run_2' }) })
    await expect(second, 'the id of the task is taken').rejects.toMatchObject({ code: 'task_exists' })
    expect([await everything(it.store), await allTasks(it.store)]).toEqual(before)
  })

  test('tasks about nothing may be many', async () => {
    await using it = await scene()
    await it.store.tasks.create(aTask())
    await it.store.tasks.create(aTask({ id: 'task_2' }))
    expect(await it.store.tasks.tasks({})).toHaveLength(2)
  })

  test('tasks are listed newest first, by status, kind and subject, in pages', async () => {
    await using it = await scene()
    for (const n of [0, 1, 2, 3, 4, 5, 6])
      await it.store.tasks.create(
        aTask({ id: `task_${n}`, kind: n % 2 ? 'agent' : 'command', subject: n % 2 ? `run_${n}` : null }),
      )
    for (const n of [1, 2, 5]) await it.store.tasks.move(aMove('running', { task_id: `task_${n}`, from: ['pending'] }))
    await it.store.tasks.move(aMove('completed', { task_id: 'task_5', from: ['running'] }))
    const numbers = async (query: TaskQuery) => (await it.store.tasks.tasks(query)).map(({ id }) => Number(id.slice(5)))
    expect(await numbers({})).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(await numbers({ status: 'running' })).toEqual([2, 1])
    expect(await numbers({ status: 'completed' })).toEqual([5])
    expect(await numbers({ kind: 'agent' })).toEqual([5, 3, 1])
    expect(await numbers({ kind: 'agent', status: 'pending' })).toEqual([3])
    expect(await numbers({ subject: 'run_3' })).toEqual([3])
    expect(await numbers({ ids: ['task_1', 'task_9', 'task_6', 'task_1', `'; --`] })).toEqual([6, 1])
    expect(await numbers({ ids: ['task_1', 'task_6'], status: 'running' })).toEqual([1])
    expect(await numbers({ ids: [] })).toEqual([])
    expect(await numbers({ limit: 3 })).toEqual([6, 5, 4])
    expect(await numbers({ limit: 3, after: 'task_4' })).toEqual([3, 2, 1])
    expect(await numbers({ limit: 3, after: 'task_1' })).toEqual([0])
    expect(await numbers({ status: 'pending', limit: 1, after: 'task_4' })).toEqual([3])
    expect(await numbers({ status: 'timed_out' })).toEqual([])
    expect(await numbers({ after: 'task_9' })).toEqual([])
  })
}

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

export function watchingTasks({ test, expect, scene }: Kit): void {
  test('whoever watches tasks hears of each that changed, once that can be read, and nobody else does', async () => {
    await using it = await scene()
    const seen: Promise<readonly (readonly [string, TaskStatus])[]>[] = []
    const statuses = async () => (await it.store.tasks.tasks({})).map(({ id, status }) => [id, status] as const)
    const others: unknown[] = []
    using _tasks = it.store.tasks.watch(() => seen.push(statuses()))
    using _journals = it.store.watch(change => others.push(change))
    await it.store.tasks.create(aTask())
    await it.store.tasks.move(aMove('running', { from: ['pending'] }))
    expect(await seen.at(0)).toEqual([['task_1', 'pending']])
    expect(await seen.at(-1)).toEqual([['task_1', 'running']])
    expect(others).toEqual([])
  })

  test('whoever stopped to watch tasks is not called back', async () => {
    await using it = await scene()
    let calls = 0
    it.store.tasks
      .watch(() => {
        calls += 1
      })
      [Symbol.dispose]()
    await it.store.tasks.create(aTask())
    expect(calls).toBe(0)
  })
}

export function pruningTasks({ test, expect, scene }: Kit): void {
  const prune = (store: Store, changes: { dry_run?: boolean; after?: string } = {}) =>
    store.prune({ before: '2030-01-01T00:00:00.500Z', dry_run: false, by: 'ana', surface: 'test', ...changes })

  test.each(['paused', 'completed', 'failed', 'cancelled', 'timed_out'] as const)(
    'one that is %s goes with the run that it is about, with its invocations',
    async status => {
      await using it = await scene()
      await it.store.start(aRun('run_1', 'done'))
      await aTaskThatIs(it.store.tasks, status, { subject: 'run_1' })
      await it.clock.advance(1000)
      const page = { threads: [{ thread_id: 'th_of_run_1', tasks: 1 }], tasks: ['task_1'], next: null }
      expect(await prune(it.store, { dry_run: true })).toMatchObject(page)
      expect(await it.store.tasks.task('task_1')).not.toBeNull()
      expect(await prune(it.store)).toMatchObject(page)
      expect(await it.store.tasks.task('task_1')).toBeNull()
      expect(await it.store.tasks.invocations('task_1')).toEqual([])
      expect(await recordsOf(it.store, 'thread.pruned')).toMatchObject([{ data: { tasks: 1 } }])
    },
  )

  test.each(['pending', 'running'] as const)('one that is %s stays, though its run goes', async status => {
    await using it = await scene()
    await it.store.start(aRun('run_1', 'done'))
    const task = await aTaskThatIs(it.store.tasks, status, { subject: 'run_1' })
    await it.clock.advance(1000)
    expect(await prune(it.store)).toMatchObject({ threads: [{ tasks: 0 }], tasks: [] })
    expect(await it.store.tasks.task('task_1')).toEqual(task)
  })

  test('one that is about a run that stays, stays', async () => {
    await using it = await scene()
    await it.store.start(aRun('run_1', 'waiting'))
    await aTaskThatIs(it.store.tasks, 'failed', { subject: 'run_1' })
    await it.clock.advance(1000)
    expect(await prune(it.store)).toEqual({ threads: [], tasks: [], next: null })
    expect(await it.store.tasks.task('task_1')).not.toBeNull()
  })

  test.each(['completed', 'failed', 'cancelled', 'timed_out'] as const)(
    'one about no run goes once it is %s and old, and that is on record',
    async status => {
      await using it = await scene()
      await aTaskThatIs(it.store.tasks, status)
      expect(await prune(it.store)).toMatchObject({ tasks: ['task_1'] })
      expect(await allTasks(it.store)).toEqual([])
      expect(await recordsOf(it.store, 'task.pruned')).toMatchObject([{ actor: 'ana', data: { task_id: 'task_1' } }])
      expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
    },
  )

  test.each(['pending', 'running', 'paused'] as const)('one that is %s stays, however old it is', async status => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, status)
    await it.clock.advance(1000)
    expect(await prune(it.store)).toMatchObject({ tasks: [] })
    expect(await it.store.tasks.task('task_1')).toEqual(task)
  })

  test('one that changed since stays', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    await it.clock.advance(1000)
    await it.store.tasks.move(aMove('completed', { from: ['running'] }))
    expect(await prune(it.store)).toMatchObject({ tasks: [] })
  })

  test.each([true, false])('page by page each task comes once (dry run: %s)', async dry_run => {
    await using it = await scene()
    for (let n = 0; n < 501; n += 1) {
      await it.store.tasks.create(aTask({ id: `task_${n}` }))
      await it.store.tasks.move(aMove('cancelled', { task_id: `task_${n}`, from: ['pending'] }))
    }
    await it.clock.advance(1000)
    const first = await prune(it.store, { dry_run })
    const second = await prune(it.store, { dry_run, after: first.next ?? '' })
    expect(second).toMatchObject({ threads: [], next: null })
    expect(new Set([...first.tasks, ...second.tasks]).size).toBe(501)
    expect(await it.store.tasks.tasks({})).toHaveLength(dry_run ? 501 : 0)
  })
}

/** `reopen` opens the same data once more, as a second process would. */
export function tasksOpenedTwice(
  { test, expect, scene }: Kit,
  reopen: (store: Store, clock: Clock) => Promise<Store>,
): void {
  test('of two that move a task, one here and one there, one does, and both read the same', async () => {
    await using it = await scene()
    await using other = await reopen(it.store, it.clock)
    await aTaskThatIs(it.store.tasks, 'paused')
    const resume = ({ tasks }: Store, asker: Requester) =>
      tasks.move({ task_id: 'task_1', invocation: 1, from: ['paused'], next: { ...asker, argv: ['again'] } })
    const moved = await Promise.all([resume(it.store, ANA), resume(other, BEN)])
    expect(moved.filter(task => task !== null)).toHaveLength(1)
    expect(await allTasks(other)).toEqual(await allTasks(it.store))
    expect(await other.tasks.invocations('task_1')).toHaveLength(2)
  })

  test('of two that create a task about the same run, one here and one there, one does', async () => {
    await using it = await scene()
    await using other = await reopen(it.store, it.clock)
    const created = await Promise.allSettled([
      it.store.tasks.create(aTask({ subject: 'run_1' })),
      other.tasks.create(aTask({ id: 'task_2', subject: 'run_1' })),
    ])
    expect(created.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('whoever watches tasks hears of what is done elsewhere', async () => {
    await using it = await scene()
    await using other = await reopen(it.store, it.clock)
    const heard = Promise.withResolvers<void>()
    using _watch = other.tasks.watch(heard.resolve)
    await it.store.tasks.create(aTask())
    await heard.promise
    expect(await other.tasks.task('task_1')).toMatchObject({ status: 'pending' })
  })
}

function aTask(changes: Partial<NewTask> = {}): NewTask {
  return {
    ...{ id: 'task_1', kind: 'command', title: 'Say hello', subject: null, details: {}, workdir: '/project' },
    ...{ timeout_ms: null, argv: ['echo', 'hello'], ...ANA, ...changes },
  }
}

function aMove(to: TaskStatus, move: Partial<TaskMove> & Pick<TaskMove, 'from'>): TaskMove {
  return { task_id: 'task_1', invocation: 1, to, ...move }
}

/** By the shortest way there. */
async function aTaskThatIs(tasks: TaskRegistry, status: TaskStatus, changes: Partial<NewTask> = {}): Promise<Task> {
  const created = await tasks.create(aTask(changes))
  if (status === 'pending') return created
  const change = { supervisor: 'here 1', process: 'here 7' }
  const running = (await tasks.move(aMove('running', { task_id: created.id, from: ['pending'], change }))) as Task
  if (!TASK_RESTS[status]) return running
  return (await tasks.move(aMove(status, { task_id: created.id, from: ['running'] }))) as Task
}

function aRun(id: string, status: Start['status']): Start {
  const run = { id, agent: 'tester', hold_scope: 'batch' } as const
  const events = [{ kind: 'step.started', run_id: id, data: { step: 1 } }] as const
  return { run, thread_id: `th_of_${id}`, after: 0, events, status, checkpoint_id: null }
}

/** Each task with its history. */
async function allTasks({ tasks }: Store): Promise<unknown[]> {
  return Promise.all((await tasks.tasks({})).map(async task => [task, await tasks.invocations(task.id)]))
}

async function recordsOf(store: Store, kind?: AuditRecord['kind']): Promise<AuditRecord[]> {
  return (await store.audit(kind ? { kind } : {})).map(({ record }) => JSON.parse(record) as AuditRecord)
}
