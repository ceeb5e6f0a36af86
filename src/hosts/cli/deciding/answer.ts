import type { HoldStatus } from '../../../core/hold/hold.ts'
import type { Json } from '../../../core/text/json.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { jsonValue } from '../../command/flag-values.ts'
import { fullId } from '../../command/full-id.ts'
import { readText } from '../../process/read-text.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { holdNamed } from '../holds/hold-filter.ts'
import { openForReading } from '../open-for-reading.ts'
import { recordDecisions } from './record-decisions.ts'
import { byIn, type DecidingRequest } from './say-to-holds.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const [name, ...words] = given.words
  const value = given.value('value')
  if (name === undefined || (value === null) === (words.length === 0))
    throw argumentRefusals.usage('answer HOLD TEXT, or answer HOLD --value JSON', USAGE_HINT)
  const decide =
    value === null
      ? inWords(await textOf(words, given.literal))
      : asValue(jsonValue(value, { what: '--value', hint: HINT }))
  return recordDecisions(context, { names: [name], decide })
}

function inWords(text: string): DecidingRequest['decide'] {
  if (text.trim() === '') throw decidingRefusals.emptyAnswer()
  return (holds, by, holdpoint) => Promise.all(holds.map(({ id }) => holdpoint.answer(id, { text, ...by })))
}

function asValue(value: Json): DecidingRequest['decide'] {
  return (holds, by, holdpoint) =>
    holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, verdict: 'respond', value, ...by })))
}

/** A single `-` is stdin, without trailing line ends, as in a shell. */
async function textOf(words: readonly string[], literal: boolean): Promise<string> {
  const isStdin = words.length === 1 && words[0] === '-' && !literal
  return isStdin ? (await readText('-', 'The answer')).replace(/\n+$/, '') : words.join(' ')
}

const HINT = 'Text is given as TEXT, without --value; as JSON it is in double quotes.'
const USAGE_HINT = 'Give one of them. `-` in place of TEXT reads it from stdin.'

/** The assignee now. */
export interface AssignmentDocument {
  readonly outcome: 'recorded'
  readonly hold_id: string
  readonly hold_status: HoldStatus
  /** A person or a `@group`; `null` if no one in particular is asked. */
  readonly assignee: string | null
  readonly by: string
}

export async function assign(context: CommandContext): Promise<number> {
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
  throw argumentRefusals.usage('assign HOLD WHO, or assign HOLD --nobody', 'WHO is a person or a @group.')
}
