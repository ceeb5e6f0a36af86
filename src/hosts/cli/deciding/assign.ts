import { RefusedError } from '../../../core/errors.ts'
import type { HoldStatus } from '../../../core/hold/hold.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { holdNamed } from '../holds/named-hold.ts'
import { openForReading } from '../open-for-reading.ts'
import { byIn } from './say-to-holds.ts'

/** The assignee now. */
export interface AssignmentDocument {
  readonly outcome: 'recorded'
  readonly hold_id: string
  readonly hold_status: HoldStatus
  /** A person or a `@group`; `null` if no one in particular is asked. */
  readonly assignee: string | null
  readonly by: string
}

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const { name, assignee } = wishIn(context)
  await using app = await openForReading(context)
  const { id } = await holdNamed(app.holdpoint, await fullId(app.holdpoint, name))
  const { decided_by: by, surface } = byIn(context)
  const hold = await app.holdpoint.assign(id, { assignee, by, surface, reason: given.value('reason') })
  const document: AssignmentDocument = {
    outcome: 'recorded',
    hold_id: id,
    hold_status: hold.status,
    assignee: hold.assignee,
    by,
  }
  if (json) io.out(jsonLine(document))
  else
    io.out(
      `${visibleLine(assignee === null ? `${id}: nobody in particular is asked.` : `${id}: ${assignee} is asked.`)}\n`,
    )
  return 0
}

function wishIn({ given: { words, has } }: CommandContext): { name: string; assignee: string | null } {
  const [name, assignee = null, ...more] = words
  if (name !== undefined && more.length === 0 && has('nobody') === (assignee === null)) return { name, assignee }
  throw new RefusedError('invalid_arguments', 'Usage: holdpoint assign HOLD WHO, or assign HOLD --nobody', {
    hint: 'WHO is a person or a @group.',
  })
}
