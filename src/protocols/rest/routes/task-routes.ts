import { TASK_STATUSES } from '../../../core/task/task.ts'
import type { TaskQuery } from '../../../ports/store/task-registry.ts'
import { type RestRoute, signature } from '../route/rest-route.ts'
import { NAME, PAGE, words } from '../route/schema-parts.ts'

export const TASK_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/tasks',
    role: 'viewer',
    summary: 'Commands and agents that run as tasks, newest first',
    query: { status: words(...TASK_STATUSES), kind: NAME, ...PAGE },
    answers: { 200: '#Tasks' },
    answer: async ({ query }, { holdpoint }) => Response.json(await holdpoint.tasks.list(query as TaskQuery)),
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id',
    role: 'viewer',
    summary: 'All that is known of a task, with the end of its output',
    answers: { 200: '#Task', 404: 'There is no such task.' },
    answer: async ({ params: { id = '' }, caller }, { holdpoint }) =>
      Response.json(await holdpoint.tasks.details(id, signature(caller))),
  },
]
