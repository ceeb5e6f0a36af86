import { TASK_STATUSES } from '../../../core/task.ts'
import type { TaskSummary } from '../../../runtime/agent-tasks/task-report.ts'
import type { CommandContext } from '../../command.ts'
import { visibleLine } from '../../visible-text.ts'
import { limitIn, oneOf } from '../flag-values.ts'
import { emptyWhereNothingRan, openForReading, refuseWords } from '../open-for-reading.ts'
import { table } from '../table.ts'

export async function listTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'tasks list')
  const status = oneOf(given, 'status', TASK_STATUSES)
  const after = given.value('after')
  const query = { limit: limitIn(given), ...(status && { status }), ...(after !== null && { after }) }
  await using house = await openForReading(context).catch(thrown => emptyWhereNothingRan(thrown, given))
  const tasks = house ? (await (await house.supervision.tasks()).list(query)).tasks : []
  io.out(json ? `${JSON.stringify(tasks)}\n` : taskTable(tasks))
  return 0
}

function taskTable(tasks: readonly TaskSummary[]): string {
  if (tasks.length === 0) return 'No tasks.\n'
  const cells = tasks.map(({ task_id, status, kind, invocations, updated_at, title }) => [
    task_id,
    status,
    kind,
    String(invocations),
    updated_at,
    visibleLine(title),
  ])
  return table(['TASK', 'STATUS', 'KIND', 'RUNS', 'UPDATED', 'TITLE'], cells)
}
