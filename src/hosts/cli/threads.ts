import { RefusedError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { CommandContext } from '../command.ts'
import { visibleText } from '../visible-text.ts'
import { onlyWord, openForReading } from './open-for-reading.ts'

export async function run(context: CommandContext): Promise<number> {
  const [verb, ...words] = context.given.words
  if (verb !== 'show') {
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint threads show SESSION', {
      hint: 'To send these words to an agent instead, put them after `--`.',
    })
  }
  const id = onlyWord(words, 'threads show SESSION')
  await using house = await openForReading(context)
  await showThread(context, house.holdpoint, id)
  return 0
}

/** The conversation so far, as the model would get it. */
export async function showThread(
  { io, json }: CommandContext,
  holdpoint: {
    thread(
      id: string,
    ): Promise<{ messages: readonly Message[]; run: { profile: { instructions: string | null } } | null }>
  },
  id: string,
): Promise<void> {
  const { messages, run: newest } = await holdpoint.thread(id)
  const document = { session_id: id, system: newest?.profile.instructions ?? null, messages }
  io.out(json ? `${JSON.stringify(document)}\n` : messages.map(asText).join('\n'))
}

function asText(message: Message): string {
  const calls =
    message.role === 'assistant'
      ? message.tool_calls.map(({ id, name, arguments: args }) => `  calls ${name} (${id}): ${text(args)}\n`)
      : []
  const about = message.role === 'tool' ? ` (${message.tool_call_id})` : ''
  return visibleText(`${message.role}${about}: ${text(message.content)}\n${calls.join('')}`)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
