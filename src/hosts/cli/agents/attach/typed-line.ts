import type { ClientFrame, MessageMode } from '../../../../core/fleet/frames.ts'
import { isFrameType, readClientFrame } from '../../../../core/fleet/read-frame.ts'
import { answerValue } from '../../../../core/hold/answer-value.ts'
import type { Hold } from '../../../../core/hold/hold.ts'

/** The meaning of a typed line: a frame, to leave, or a problem if it has none. */
export type Typed = ClientFrame | 'leave' | { readonly problem: string }

/** The modes of a message, as the face names them. */
export const WHILE_WAITING = { queue: 'queue', steer: 'supersede', interrupt: 'interrupt' } as const

export const COMMANDS_HELP =
  '/approve HOLD, /deny HOLD WHY, /answer HOLD TEXT, /now TEXT (in place of calls that wait), /interrupt TEXT, /writer (take the right to write), /end (after this turn), /detach'

/** `holds`: those that are open, with what the person was shown of them. */
export function typedLine(line: string, inputId: string, holds: ReadonlyMap<string, Hold>): Typed {
  const [, command = '', rest = ''] = /^\/(\w+)\s*(.*)$/s.exec(line) ?? []
  if (command === '') return frameIn(line, inputId) ?? { type: 'user_message', input_id: inputId, text: line }
  const known = COMMANDS[command]
  return known ? known(rest.trim(), inputId, holds) : { problem: `/${command} is not known: ${COMMANDS_HELP}` }
}

/** A frame that a program wrote, with an id if it has none; `null` for a text. */
function frameIn(line: string, inputId: string): Typed | null {
  if (!/^\s*\{/.test(line)) return null
  const parsed = parseObject(line)
  if (parsed === null || !isFrameType(parsed['type'])) return null
  const read = readClientFrame(JSON.stringify({ ...parsed, input_id: parsed['input_id'] ?? inputId }))
  return 'fault' in read ? { problem: read.fault.message } : read.frame
}

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

type Command = (rest: string, input_id: string, holds: ReadonlyMap<string, Hold>) => Typed

/** As in the chat. */
const COMMANDS: Readonly<Record<string, Command>> = {
  detach: () => 'leave',
  leave: () => 'leave',
  end: (_, input_id) => ({ type: 'end', input_id }),
  writer: (_, input_id) => ({ type: 'take_writer', input_id }),
  queue: (text, input_id) => message(text, input_id, 'queue'),
  now: (text, input_id) => message(text, input_id, 'steer'),
  interrupt: (text, input_id) => message(text, input_id, 'interrupt'),
  approve: (rest, input_id, holds) => decision(rest, holds, hold => ({ ...seen(hold, input_id), verdict: 'approve' })),
  deny: (rest, input_id, holds) =>
    decision(rest, holds, (hold, reason) => ({ ...seen(hold, input_id), verdict: 'reject', reason: reason || null })),
  answer: (rest, input_id, holds) =>
    decision(rest, holds, (hold, text) =>
      text === ''
        ? { problem: 'the answer is empty: /answer HOLD TEXT' }
        : { ...seen(hold, input_id), verdict: 'respond', value: answerValue(text, hold) },
    ),
}

function message(text: string, input_id: string, mode: MessageMode): Typed {
  return text === ''
    ? { problem: 'the message is empty, so nothing was sent' }
    : { type: 'user_message', input_id, text, mode }
}

/** The beginning of its id, or its call, names a hold; of one alone nothing needs to be said. */
function decision(rest: string, holds: ReadonlyMap<string, Hold>, decide: (hold: Hold, rest: string) => Typed): Typed {
  const [named = '', ...words] = rest.split(/\s+/)
  const found = [...holds.values()].filter(
    ({ id, call_id }) => call_id === named || (named !== '' && id.startsWith(named)),
  )
  const [only] = found
  if (only && found.length === 1) return decide(only, words.join(' '))
  const open = [...holds.values()].map(({ id, call_id }) => `${call_id ?? ''} ${id}`.trim()).join(', ')
  return { problem: open === '' ? 'nothing waits for a decision' : `name one hold: ${open}` }
}

/** P9: the digest of what was shown goes with the decision. */
function seen({ id, digest, level }: Hold, input_id: string) {
  return { type: 'decide', input_id, hold_id: id, seen: { digest, level } } as const
}
