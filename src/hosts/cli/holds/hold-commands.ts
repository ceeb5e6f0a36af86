import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { padColumns } from '../../display/table.ts'

type Way = readonly [command: string, rest: string, meaning: string]

const REJECT: Way = ['reject', '--reason TEXT', 'it does not run, and the agent is told why']

const WAYS: Record<HoldKind, readonly Way[]> = {
  approval: [
    ['approve', '', 'it runs as shown'],
    ['edit', '', 'it runs with arguments that you change in your editor'],
    REJECT,
  ],
  question: [
    ['answer', 'TEXT', 'the agent is told this'],
    ['reject', '--reason TEXT', 'the agent is told that nobody answers, and why'],
  ],
  input: [['answer', 'TEXT', 'the agent goes on with this']],
  client_tool: [['answer', 'RESULT', 'it was run elsewhere, and this came of it'], REJECT],
  in_doubt: [
    ['approve', '', 'it is run again'],
    ['answer', '--value JSON', 'it happened, and this came of it'],
    ['reject', '--reason TEXT', 'it failed'],
  ],
}

/**
 * The commands that decide a hold, ready to be pasted into a shell, each with what it means: beside it, or above it if the
 * lines would be too wide. `place`: flags that lead there.
 */
export function commandsFor(
  { id, kind }: Pick<Hold, 'id' | 'kind'>,
  { place, columns }: { place: string; columns: number },
): string[] {
  const rows = WAYS[kind].map(([command, rest, meaning]) => [
    `${['holdpoint', command, id, ...(rest === '' ? [] : [rest])].join(' ')}${place}`,
    `# ${meaning}`,
  ])
  const beside = padColumns(rows).map(row => row.join('  ').trimEnd())
  if (beside.every(line => line.length <= columns)) return beside
  return rows.flatMap(([command = '', meaning = '']) => [meaning, command])
}
