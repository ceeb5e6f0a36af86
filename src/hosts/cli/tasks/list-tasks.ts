import { refused } from '../../../core/errors.ts'
import { AGENT_STATUSES, type AgentStatus } from '../../../core/fleet/agent-status.ts'
import { TASK_STATUSES } from '../../../core/task/task.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { TaskSummary } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { withFullIds } from '../../command/full-id.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { ago } from '../../display/ago.ts'
import { type Screen, screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import { shellWord } from '../../process/shell-word.ts'
import { tellsHosts } from '../another-host.ts'
import { openToLook, refuseWords } from '../open-for-reading.ts'
import { howItStands, STATUS_STYLES } from './task-text.ts'

export async function listTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'tasks list')
  refuseAgentStatus(given)
  const status = oneOf(given, 'status', TASK_STATUSES)
  const after = given.value('after')
  const query = { limit: limitIn(given), ...(status && { status }), ...(after !== null && { after }) }
  await using app = await openToLook(context)
  const { tasks, next } = await app.holdpoint.tasks.list(await withFullIds(app.holdpoint, query))
  io.out(json ? jsonLine(tasks) : listText(context, tasks, await tellsHosts(context, app, tasks)))
  if (next !== null && !json) io.err(nextPage(given, next))
  return 0
}

/** @throws RefusedError `invalid_arguments` for a status that agents alone have */
function refuseAgentStatus(given: CommandContext['given']): void {
  const status = given.value('status') as AgentStatus | null
  const isOfAgents = status !== null && AGENT_STATUSES.includes(status)
  if (!isOfAgents || (TASK_STATUSES as readonly string[]).includes(status)) return
  throw refused(
    'invalid_arguments',
    `--status ${status} says how an agent stands, and no task has it.`,
    `Use \`holdpoint agents --status ${status}\`, or one of ${TASK_STATUSES.join(', ')}.`,
  )
}

/** For people: in a terminal as it looks best there, otherwise in columns, with nothing cut. */
function listText(context: CommandContext, tasks: readonly TaskSummary[], hosts: boolean): string {
  if (tasks.length === 0) return 'No tasks.\n'
  const screen = screenFor(context)
  return screen ? taskScreen(tasks, screen, hosts) : taskTable(tasks, hosts)
}

function taskTable(tasks: readonly TaskSummary[], isShared: boolean): string {
  const cells = tasks.map(({ task_id, status, kind, host, invocations, updated_at, title }) => [
    task_id,
    status,
    ...(isShared ? [host ?? '-'] : []),
    visibleLine(kind),
    String(invocations),
    updated_at,
    visibleLine(title),
  ])
  const host = isShared ? ['HOST'] : []
  return plainTable(['TASK', 'STATUS', ...host, 'KIND', 'INVOCATIONS', 'UPDATED', 'TITLE'], cells)
}

const HOST: Column = { head: 'HOST' }

const COLUMNS: readonly Column[] = [
  { head: 'TASK' },
  { head: 'STATUS', least: 8 },
  { head: 'KIND' },
  { head: 'WHEN' },
  { head: 'TITLE', least: 12 },
]

function taskScreen(tasks: readonly TaskSummary[], screen: Screen, isShared: boolean): string {
  const rows = tasks.map(task => ({
    cells: [
      ...(isShared ? [{ text: task.host ?? '-', style: 'dim' } as const] : []),
      { text: task.task_id, style: 'bold' },
      { text: howItStands(task), style: STATUS_STYLES[task.status] },
      visibleLine(task.kind),
      { text: ago(task.updated_at, screen.now), style: 'dim' },
      visibleLine(task.title),
    ] satisfies Cell[],
  }))
  return screenTable(isShared ? [HOST, ...COLUMNS] : COLUMNS, rows, screen)
}

/** The same command once more, behind the last task of this page. */
function nextPage(given: CommandContext['given'], last: string): string {
  const values = ['status', 'limit'].flatMap(flag => {
    const value = given.value(flag)
    return value === null ? [] : [shellWord(`--${flag}=${value}`)]
  })
  return `There may be more: ${['holdpoint tasks', ...values, `--after ${last}${placeFlags(given)}`].join(' ')}\n`
}
