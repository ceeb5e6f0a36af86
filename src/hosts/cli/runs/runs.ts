import type { RunStatus } from '../../../core/journal/thread.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { listedRun, listedRunTree } from './run-document.ts'
import { type ListedRun, runList } from './run-list.ts'

const STATUSES: readonly RunStatus[] = ['running', 'waiting', 'done']

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'runs')
  const status = oneOf(given, 'status', STATUSES)
  const query = { limit: limitIn(given), ...(status && { status }) }
  await using app = await openForReading(context)
  if (given.has('tree')) {
    const roots = await app.holdpoint.runTree(query)
    io.out(
      json
        ? jsonLine(roots.map(listedRunTree))
        : await runList(
            context,
            app,
            roots.flatMap(root => branch(root)),
          ),
    )
    return 0
  }
  const rows = await app.holdpoint.runs(query)
  io.out(
    json
      ? jsonLine(rows.map(listedRun))
      : await runList(
          context,
          app,
          rows.map(row => ({ row, level: 0 })),
        ),
  )
  return 0
}

function branch(node: RunNode, level = 0): ListedRun[] {
  return [{ row: node, level }, ...node.children.flatMap(child => branch(child, level + 1))]
}
