import { HoldpointError, messageOf, refused } from '../../../../core/errors.ts'
import type { ClientFrame, MessageMode } from '../../../../core/fleet/frames.ts'
import { isFrameType, readClientFrame } from '../../../../core/fleet/read-frame.ts'
import { answerValue } from '../../../../core/hold/answer-value.ts'
import type { Hold } from '../../../../core/hold/hold.ts'
import type { CommandContext } from '../../../command/command.ts'
import { decidingRefusals } from '../../../refusals/deciding-refusals.ts'
import { sessionRefusals } from '../../../refusals/session-refusals.ts'
import { answerIn, approvedIn, holdNamed, namedFirst } from '../../../terminal/slash/deciding-commands.ts'

export type Holds = ReadonlyMap<string, Hold>

export const COMMANDS_HELP =
  '/approve HOLD, /deny HOLD WHY, /answer HOLD TEXT, /now TEXT (in place of calls that wait), /interrupt TEXT, /writer (take the right to write), /end (after this turn), /detach'

/** None for a blank line, and for one that has no meaning: its problem is told. */
export function framesIn(
  io: Pick<CommandContext['io'], 'err'>,
  text: string,
  holds: Holds,
): readonly ClientFrame[] | 'leave' {
  if (text.trim() === '') return []
  try {
    return typedLine(text, holds)
  } catch (thrown) {
    io.err(problemText(thrown))
    return []
  }
}

export function problemText(thrown: unknown): string {
  const hint = thrown instanceof HoldpointError ? thrown.hint : null
  return `! ${messageOf(thrown)}${hint === null ? '' : ` ${hint}`}\n`
}

/**
 * The meaning of a typed line: frames, or to leave. `holds`: those that are open, with what the person was shown of them.
 * @throws RefusedError if it has none
 */
function typedLine(line: string, holds: Holds): readonly ClientFrame[] | 'leave' {
  const [, command = '', rest = ''] = /^\/(\w+)\s*(.*)$/s.exec(line) ?? []
  if (command === '') return [frameIn(line) ?? { type: 'user_message', input_id: crypto.randomUUID(), text: line }]
  const known = COMMANDS[command]
  if (!known) throw refused('invalid_arguments', `/${command} is not known: ${COMMANDS_HELP}`)
  return known(rest.trim(), holds)
}

/** A frame that a program wrote, with an id if it has none; `null` for a text. */
function frameIn(line: string): ClientFrame | null {
  if (!/^\s*\{/.test(line)) return null
  const parsed = parseObject(line)
  if (parsed === null || !isFrameType(parsed['type'])) return null
  const read = readClientFrame(JSON.stringify({ ...parsed, input_id: parsed['input_id'] ?? crypto.randomUUID() }))
  if ('fault' in read) throw refused('invalid_arguments', read.fault.message)
  return read.frame
}

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

type Command = (rest: string, holds: Holds) => readonly ClientFrame[] | 'leave'

/** As in the chat, but what is decided is named: what is open by now may be another hold than the program meant. */
const COMMANDS: Readonly<Record<string, Command>> = {
  detach: () => 'leave',
  leave: () => 'leave',
  end: () => [{ type: 'end', input_id: crypto.randomUUID() }],
  writer: () => [{ type: 'take_writer', input_id: crypto.randomUUID() }],
  queue: text => [message(text, 'queue')],
  now: text => [message(text, 'steer')],
  interrupt: text => [message(text, 'interrupt')],
  approve: (rest, holds) => {
    const open = namedIn(rest, holds)
    return (approvedIn(open, rest) ?? unnamed(open)).map(hold => ({ ...seen(hold), verdict: 'approve' }))
  },
  deny: (rest, holds) => {
    const { hold, rest: reason } = namedFirst(namedIn(rest, holds), rest)
    return [{ ...seen(hold), verdict: 'reject', reason: reason || null }]
  },
  answer: (rest, holds) => {
    const { hold, text } = answerIn(namedIn(rest, holds), rest)
    return [{ ...seen(hold), verdict: 'respond', value: answerValue(text, hold) }]
  },
}

function message(text: string, mode: MessageMode): ClientFrame {
  if (text === '') throw sessionRefusals.emptyMessage()
  return { type: 'user_message', input_id: crypto.randomUUID(), text, mode }
}

/** The open holds, if the first word names one of them. @throws RefusedError */
function namedIn(rest: string, holds: Holds): readonly Hold[] {
  const open = [...holds.values()]
  const [word = ''] = rest.split(/\s+/)
  return holdNamed(open, word) ? open : unnamed(open)
}

function unnamed(open: readonly Hold[]): never {
  throw decidingRefusals.nameOne(open.map(({ id, call_id }) => `${call_id ?? ''} ${id}`.trim()).join(', '))
}

/** P9: the digest of what was shown goes with the decision. */
function seen({ id, digest, level }: Hold) {
  return { type: 'decide', input_id: crypto.randomUUID(), hold_id: id, seen: { digest, level } } as const
}
