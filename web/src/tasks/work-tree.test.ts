import { expect, test } from 'vitest'
import { type Run, type Task, type WorkNode, workTree } from './work-tree.ts'

const run = (run_id: string, created_at: string, children: readonly Run[] = []) =>
  ({ run_id, created_at, children }) as Run
const task = (task_id: string, more: Partial<Task>) =>
  ({ task_id, run_id: null, parent_run_id: null, created_at: '2030-01-01', ...more }) as Task
const drawn = (nodes: readonly WorkNode[]): readonly unknown[] =>
  nodes.map(({ id, task: own, children }) => [id, own?.task_id ?? null, drawn(children)])

test('runs stand below those whose agents started them, with their tasks, and commands below theirs', () => {
  const child = run('run_2', '2030-01-03')
  const tree = workTree(
    [run('run_1', '2030-01-02', [child]), run('run_3', '2030-01-05')],
    [
      task('task_a', { run_id: 'run_2', parent_run_id: 'run_1' }),
      task('task_b', { parent_run_id: 'run_1' }),
      task('task_c', { created_at: '2030-01-04' }),
      task('task_d', { parent_run_id: 'run_of_last_year' }),
    ],
  )
  expect(drawn(tree)).toEqual([
    ['run_3', null, []],
    ['task_c', 'task_c', []],
    [
      'run_1',
      null,
      [
        ['run_2', 'task_a', []],
        ['task_b', 'task_b', []],
      ],
    ],
    ['task_d', 'task_d', []],
  ])
})
