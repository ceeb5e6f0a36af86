import { TASK_STATUSES } from '../../../core/task/task.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { TaskSummary } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { withFullIds } from '../../command/full-id.ts'
import { paintFor } from '../../display/colours.ts'
import { cutLine } from '../../display/cut-line.ts'
import { columns, table } from '../../display/table.ts'
import { shellWord } from '../../process/shell-word.ts'
import { systemClock } from '../../process/system-clock.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { howItStands, STATUS_STYLES } from './task-text.ts'

export async function listTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'tasks list')
  const status = oneOf(given, 'status', TASK_STATUSES)
  const after = given.value('after')
  const query = { limit: limitIn(given), ...(status && { status }), ...(after !== null && { after }) }
  await using app = await openForReading(context)
  const { tasks, next } = await app.holdpoint.tasks.list(await withFullIds(app.holdpoint, query))
  io.out(json ? jsonLine(tasks) : listText(context, tasks))
  if (next !== null && !json) io.err(nextPage(given, next))
  return 0
}

/** For people: in a terminal as it looks best there, otherwise in columns, with nothing cut. */
function listText(context: CommandContext, tasks: readonly TaskSummary[]): string {
  if (tasks.length === 0) return 'No tasks.\n'
  return context.io.isTerminal ? taskScreen(context, tasks) : taskTable(tasks)
}

function taskTable(tasks: readonly TaskSummary[]): string {
  const cells = tasks.map(({ task_id, status, kind, invocations, updated_at, title }) => [
    task_id,
    status,
    visibleLine(kind),
    String(invocations),
    updated_at,
    visibleLine(title),
  ])
  return table(['TASK', 'STATUS', 'KIND', 'INVOCATIONS', 'UPDATED', 'TITLE'], cells)
}

/** A line for each, with times as seen from now. */
function taskScreen(context: CommandContext, tasks: readonly TaskSummary[]): string {
  const paint = paintFor(context)
  const now = systemClock.now()
  const heads = columns(
    tasks.map(task => [
      task.task_id,
      howItStands(task),
      visibleLine(task.kind),
      `${durationText(now - Date.parse(task.updated_at))} ago`,
    ]),
  )
  const line = ({ status, title }: TaskSummary, [id = '', stands = '', ...more]: readonly string[]) => {
    const room = context.io.width() - [id, stands, ...more].join('  ').length - 2
    return [paint('bold', id), paint(STATUS_STYLES[status], stands), ...more, cutLine(visibleLine(title), room)]
  }
  return tasks.map((task, index) => `${line(task, heads[index] ?? []).join('  ')}\n`).join('')
}

/** The same command once more, behind the last task of this page. */
function nextPage(given: CommandContext['given'], last: string): string {
  const values = ['status', 'limit', 'store'].flatMap(flag => {
    const value = given.value(flag)
    return value === null ? [] : [shellWord(`--${flag}=${value}`)]
  })
  return `There may be more: ${['holdpoint tasks', ...values, `--after ${last}`].join(' ')}\n`
}
