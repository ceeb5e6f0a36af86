import { RefusedError } from '../../../core/errors.ts'
import type { RunStatus } from '../../../core/journal/thread.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import type { App } from '../../compose/compose.ts'
import { openToLook, refuseWords } from '../open-for-reading.ts'
import { listedRun, listedRunTree } from './run-document.ts'
import { type ListedRun, runList } from './run-list.ts'
import { standingOf } from './standing.ts'

/** `ready`, as the list says it: running, and no process works on it. */
const STATUSES: readonly (RunStatus | 'ready')[] = ['running', 'ready', 'waiting', 'done']

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'runs')
  const status = oneOf(given, 'status', STATUSES)
  const limit = limitIn(given)
  if (given.has('tree') && status === 'ready') throw noTreeOfReady()
  await using app = await openToLook(context)
  if (status === 'ready') {
    io.out(await listText(context, app, (await readyRuns(app)).slice(0, limit)))
    return 0
  }
  const query = { limit, ...(status && { status }) }
  if (!given.has('tree')) {
    io.out(await listText(context, app, await app.holdpoint.runs(query)))
    return 0
  }
  const roots = await app.holdpoint.runTree(query)
  const branches = () => roots.flatMap(root => branch(root))
  io.out(json ? jsonLine(roots.map(root => listedRunTree(root))) : await runList(context, app, branches()))
  return 0
}

function listText(context: CommandContext, app: App, rows: readonly RunRow[]): string | Promise<string> {
  if (context.json) return jsonLine(rows.map(row => listedRun(row)))
  return runList(
    context,
    app,
    rows.map(row => ({ row, level: 0 })),
  )
}

/** Few runs are running at a time, so all of those are looked at. */
async function readyRuns({ holdpoint }: Pick<App, 'holdpoint'>): Promise<readonly RunRow[]> {
  const running = await holdpoint.runs({ status: 'running' })
  return running.filter(row => standingOf(row) === 'ready')
}

function noTreeOfReady(): RefusedError {
  return new RefusedError('invalid_arguments', '--tree lists no ready runs.', {
    hint: 'Leave out --tree, or --status.',
  })
}

function branch(node: RunNode, level = 0): ListedRun[] {
  return [{ row: node, level }, ...node.children.flatMap(child => branch(child, level + 1))]
}
