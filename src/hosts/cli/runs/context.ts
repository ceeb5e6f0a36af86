/** `context drop`: leaves a message, a picture or a file out of what models are sent of a session. */

import type { Thread } from '../../../core/journal/thread.ts'
import { type Droppable, droppableParts, type PartPlace } from '../../../core/repair/droppable.ts'
import { WHOLE_CONTEXT } from '../../../core/run/context/context-state.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { listText } from '../../display/list.ts'
import { actor } from '../../process/actor.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { openForReading } from '../open-for-reading.ts'

/** What can be left out, or was: `place` is the number of a message, or of a message and a part of it, as `12.1`. */
export interface DroppablePart {
  readonly session_id: string
  readonly place: string
  readonly what: string
}

const USAGE = 'context drop SESSION [PLACE]'

export async function run(context: CommandContext): Promise<number> {
  const [verb, word, place, ...more] = context.given.words
  if (verb !== 'drop' || word === undefined || more.length > 0)
    throw argumentRefusals.usage(USAGE, 'Without PLACE it lists what can be left out.')
  await using app = await openForReading(context)
  const id = await fullId(app.holdpoint, word)
  const session_id = id.startsWith('run_') ? (await app.holdpoint.run(id)).thread_id : id
  // A server tells no more than the messages.
  const told: Pick<Thread, 'messages'> & Partial<Thread> = await app.holdpoint.thread(session_id)
  const { messages, context: state = WHOLE_CONTEXT, repairs = [] } = told
  const parts = droppableParts({ messages, context: state, repairs })
  const rows = parts.map(({ label, begins, ...part }) => ({
    ...{ session_id, place: placeText(part) },
    what: begins === '' ? label : `${label}: ${begins}`,
  }))
  if (place === undefined) return list(context, rows)
  const found = parts[rows.findIndex(row => row.place === place)]
  await app.holdpoint.compact(session_id, { by: actor(context.env), drop: found ? partPlace(found) : { message: -1 } })
  const dropped: DroppablePart = { session_id, place, what: found?.label ?? '' }
  if (context.json) context.io.out(jsonLine(dropped))
  else context.io.out(`${visibleLine(`${dropped.what} is left out of what models are sent from here on.`)}\n`)
  return 0
}

function placeText({ message, part }: PartPlace): string {
  return part === undefined ? `${message}` : `${message}.${part}`
}

function partPlace({ message, part }: Droppable): PartPlace {
  return part === undefined ? { message } : { message, part }
}

/** The newest first. */
function list(context: CommandContext, rows: readonly DroppablePart[]): number {
  const columns = { PLACE: (row: DroppablePart) => row.place, WHAT: (row: DroppablePart) => row.what }
  const screen = Object.entries(columns).map(([head, value]) => ({ head, value }))
  const empty = 'Nothing can be left out.\n'
  context.io.out(context.json ? jsonLine(rows) : listText(context, rows, { empty, plain: columns, screen }))
  return 0
}
