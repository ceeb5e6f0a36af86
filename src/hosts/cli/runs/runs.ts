import type { RunStatus } from '../../../core/journal/thread.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { table } from '../../display/table.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { listedRun, listedRunTree } from './run-document.ts'

const STATUSES: readonly RunStatus[] = ['running', 'waiting', 'done']

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'runs')
  const status = oneOf(given, 'status', STATUSES)
  const query = { limit: limitIn(given), ...(status && { status }) }
  await using app = await openForReading(context)
  if (given.has('tree')) {
    const roots = await app.holdpoint.runTree(query)
    io.out(json ? jsonLine(roots.map(listedRunTree)) : asText(roots.flatMap(root => branch(root))))
    return 0
  }
  const rows = await app.holdpoint.runs(query)
  io.out(json ? jsonLine(rows.map(listedRun)) : asText(rows.map(row => ({ row, level: 0 }))))
  return 0
}

interface Line {
  readonly row: RunRow
  /** How many runs are above it. */
  readonly level: number
}

function branch(node: RunNode, level = 0): Line[] {
  return [{ row: node, level }, ...node.children.flatMap(child => branch(child, level + 1))]
}

function asText(lines: readonly Line[]): string {
  if (lines.length === 0) return 'No runs.\n'
  const cells = lines.map(({ row, level }) => [
    `${'  '.repeat(level)}${row.id}`,
    row.exported ? 'exported' : row.status,
    row.ended ?? '',
    row.agent,
    row.updated_at,
    row.checkpoint_id ?? '',
  ])
  return table(['RUN', 'STATUS', 'END', 'AGENT', 'UPDATED', 'CHECKPOINT'], cells)
}
