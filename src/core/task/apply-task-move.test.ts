import { expect, test } from 'vitest'
import { applyTaskMove, refuseIllegalMove, taskExists } from './apply-task-move.ts'
import type { Task } from './task.ts'
import type { TaskMove } from './task-move.ts'
import { recordsOfMove } from './task-records.ts'

const AT = Date.parse('2030-01-01T00:00:05.000Z')
const ana = { by: 'ana', surface: 'cli' }

function aTask(status: Task['status'], changes: Partial<Task> = {}): Task {
  return {
    ...{
      id: 'task_1',
      status,
      kind: 'agent',
      title: 'Write',
      subject: 'run_1',
      details: {},
      workdir: '/',
      host: null,
      timeout_ms: null,
    },
    ...{ created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-01T00:00:00.000Z', cancel_requested_by: null },
    invocation: {
      ...{ n: 1, status, argv: ['true'], by: 'ana', surface: 'cli', asked_at: '2030-01-01T00:00:00.000Z' },
      ...{ started_at: null, ended_at: null, supervisor: 'one', process: null, exit_code: null, signal: null },
      ...{ error: null, stdout_bytes: null, stderr_bytes: null },
    },
    ...changes,
  }
}

function aMove(changes: Partial<TaskMove>): TaskMove {
  return { task_id: 'task_1', invocation: 1, from: ['pending', 'running', 'paused', 'failed'], ...changes }
}

test.each([
  ['another invocation is the newest', { invocation: 2 }],
  ['the status is another one', { from: ['paused'] }],
  ['another process watches over it', { supervisor: 'two' }],
] as const)('nothing moves if %s', (_title, changes) => {
  expect(applyTaskMove(aTask('pending'), aMove({ to: 'running', ...changes }), AT)).toBeNull()
})

test('a task that begins has the time of its start, and one that rests the time of its end', () => {
  const time = '2030-01-01T00:00:05.000Z'
  expect(applyTaskMove(aTask('pending'), aMove({ to: 'running' }), AT)?.invocation).toMatchObject({ started_at: time })
  expect(applyTaskMove(aTask('running'), aMove({ to: 'completed' }), AT)?.invocation).toMatchObject({ ended_at: time })
})

test('a cancel that was requested before takes the move that is meant for it, and is forgotten with the rest', () => {
  const move = aMove({ to: 'paused', to_if_cancel_requested: 'cancelled' })
  expect(applyTaskMove(aTask('running'), move, AT)).toMatchObject({ to: 'paused', status: 'paused' })
  const wanted = aTask('running', { cancel_requested_by: 'ben' })
  expect(applyTaskMove(wanted, move, AT)).toMatchObject({ to: 'cancelled', cancel_requested_by: null })
})

test('a request to cancel stays with a task that runs, under the name of the first', () => {
  const first = applyTaskMove(aTask('running'), aMove({ cancel: ana }), AT)
  expect(first).toMatchObject({ to: null, status: 'running', cancel_requested_by: 'ana' })
  const again = applyTaskMove(aTask('running', { cancel_requested_by: 'ben' }), aMove({ cancel: ana }), AT)
  expect(again).toMatchObject({ cancel_requested_by: 'ben' })
})

test('the next invocation makes the task pending, and leaves the one before as it was', () => {
  const before = aTask('paused')
  const moved = applyTaskMove(before, aMove({ to: 'pending', next: { ...ana, argv: ['true'] } }), AT)
  expect(moved).toMatchObject({ status: 'pending', newest: 2, invocation: before.invocation })
})

const ILLEGAL: readonly (readonly [title: string, move: Partial<TaskMove>])[] = [
  ['from a status that cannot become it', { from: ['completed'], to: 'running' }],
  ['to pending without a next invocation', { from: ['paused'], to: 'pending' }],
  ['to a rest with a next invocation', { from: ['paused'], to: 'failed', next: { ...ana, argv: ['true'] } }],
  ['of a task that rests, which is only asked to cancel', { from: ['paused'], cancel: ana }],
  [
    'to an illegal place, if a cancel was requested',
    { from: ['pending'], to: 'running', to_if_cancel_requested: 'paused' },
  ],
]

test.each(ILLEGAL)('a move is refused that leads %s', (_title, move) => {
  expect(() => refuseIllegalMove(aMove(move))).toThrow(expect.objectContaining({ code: 'illegal_task_move' }))
})

test('P10: a move puts on record who asked for it, and how the task ended', () => {
  const kinds = (task: Task, move: Parameters<typeof recordsOfMove>[1]) =>
    recordsOfMove(task, move, text => `hash of ${text}`).map(({ kind, actor }) => [kind, actor])
  expect(kinds(aTask('paused'), { to: 'pending', next: { ...ana, argv: ['true'] } })).toEqual([['task.resumed', 'ana']])
  expect(kinds(aTask('running'), { to: null, cancel: ana })).toEqual([['task.cancelled', 'ana']])
  expect(kinds(aTask('running', { cancel_requested_by: 'ben' }), { to: null, cancel: ana })).toEqual([])
  expect(kinds(aTask('running'), { to: 'completed' })).toEqual([['task.ended', undefined]])
})

test('a task that exists is named in the refusal', () => {
  expect(taskExists({ id: 'task_2', subject: 'run_1' }, { id: 'task_1' })).toMatchObject({
    code: 'task_exists',
    message: 'There is a task about run_1 already: task_1.',
    details: { task_id: 'task_1' },
  })
})
