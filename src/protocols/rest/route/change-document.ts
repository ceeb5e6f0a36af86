import type { AuditRecord } from '../../../core/audit/audit.ts'

/** A change in ids: what was said, asked or returned is for who looks it up. */
export function changeDocument({ seq, at, kind, data, ...subject }: AuditRecord): object {
  const { thread_id, run_id, hold_id, call_id, actor, surface } = subject
  const task_id = typeof data['task_id'] === 'string' ? { task_id: data['task_id'] } : {}
  return { seq, at, kind, thread_id, run_id, hold_id, call_id, ...task_id, actor, surface }
}
