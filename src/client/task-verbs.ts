import type { TaskPage } from '../runtime/face/tasks.ts'
import type { RemoteTasks } from './remote-holdpoint.ts'
import type { Wire } from './wire.ts'

export function taskVerbs(wire: Wire): RemoteTasks {
  return {
    list: ({ subject, ids: _, ...query } = {}) => wire.get<TaskPage>(['tasks'], { ...query, run_id: subject }),
    details: id => wire.get(['tasks', id]),
    output: (id, request) => wire.get(['tasks', id, 'output'], request),
    invocation: (id, n) => wire.get(['tasks', id, 'invocations', n ?? 'newest']),
    cancel: (id, { reason } = {}) =>
      wire.ask({ method: 'POST', path: ['tasks', id, 'cancel'], body: typeof reason === 'string' ? { reason } : {} }),
    resume: (id, { answer: { choices, prompt }, checkpoint_id }) => {
      const body = {
        ...(choices && { choices }),
        ...(prompt !== null && { text: prompt }),
        ...(checkpoint_id !== null && { checkpoint_id }),
      }
      return wire.ask({ method: 'POST', path: ['tasks', id, 'resume'], body })
    },
    goOn: id => wire.ask({ method: 'POST', path: ['tasks', id, 'resume'], body: {} }),
  }
}
