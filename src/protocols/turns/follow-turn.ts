import type { JournalEvent } from '../../core/journal/event.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { type Conversation, isAtRest, takeIn } from './conversation.ts'

/**
 * Each event and piece from where the conversation stands, after it was taken in, up to the rest of its run. The one
 * that `over` says is the last is the last as well. An abort ends it without a word.
 */
export async function* followUntilRest(
  holdpoint: Pick<Holdpoint, 'follow'>,
  conversation: Conversation,
  { over = () => false, signal }: { readonly over?: () => boolean; readonly signal: AbortSignal },
): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
  if (isAtRest(conversation) || over()) return
  const { id, seq } = conversation.thread
  for await (const event of holdpoint.follow(id, { since: seq, signal })) {
    if (!('ephemeral' in event)) takeIn(conversation, event)
    yield event
    if (isAtRest(conversation) || over()) return
  }
}
