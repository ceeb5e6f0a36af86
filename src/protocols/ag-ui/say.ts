import type { Content } from '../../core/message/part.ts'
import type { MessageInput } from '../../runtime/threads/send-message.ts'
import { type AgUiSite, SURFACE, USUAL_AGENT } from './ag-ui-site.ts'
import { contentIn } from './input-content.ts'
import type { PostedMessage } from './run-input.ts'
import type { Waiting } from './waiting.ts'

export interface Saying {
  readonly threadId: string
  readonly message: PostedMessage
  /** The caller, who signs. */
  readonly author: string
}

/** Begins the thread with its first message. @throws RefusedError `superseded` if it was begun meanwhile */
export async function begin({ holdpoint, profileOf }: AgUiSite, agent: string, saying: Saying): Promise<void> {
  const { threadId, message, author } = saying
  const profile = await profileOf(agent === USUAL_AGENT ? null : agent)
  const input = contentIn(message.content)
  const thread = { id: threadId, seq: 0 }
  await holdpoint.start({ profile, input, inputId: message.id, author, surface: SURFACE, thread })
}

/**
 * The same message again is one. A message in place of results that only its client could give supersedes those calls;
 * an approval is never skipped. @throws RefusedError
 */
export async function say({ holdpoint }: AgUiSite, saying: Saying, { calls }: Waiting): Promise<void> {
  const { threadId, message, author } = saying
  const said: MessageInput = {
    ...worded(contentIn(message.content)),
    ...{ author, surface: SURFACE, inputId: message.id },
  }
  await holdpoint.send(threadId, said, { whileWaiting: calls.length > 0 ? 'supersede' : 'reject' })
}

function worded(content: Content): { readonly text: string } | { readonly parts: Exclude<Content, string> } {
  return typeof content === 'string' ? { text: content } : { parts: content }
}
