import type { Content } from '../../core/message/part.ts'
import type { ClientTool } from '../../core/run/client-tool.ts'
import type { Profile } from '../../core/run/profile.ts'
import { isSameJson, type Json } from '../../core/text/json.ts'
import type { MessageInput } from '../../runtime/threads/send-message.ts'
import { type Conversation, saidWith } from '../turns/conversation.ts'
import { type AgUiSite, SURFACE, USUAL_AGENT } from './ag-ui-site.ts'
import { contentIn } from './input-content.ts'
import type { PostedMessage } from './run-input.ts'
import type { Waiting } from './waiting.ts'

export interface Saying {
  readonly threadId: string
  readonly message: PostedMessage
  /** The tools that the client runs itself: the model is offered them, too. */
  readonly tools: readonly ClientTool[]
  /** The caller, who signs. */
  readonly author: string
}

/** Begins the thread with its first message. @throws RefusedError `superseded` if it was begun meanwhile */
export async function begin(site: AgUiSite, agent: string, saying: Saying): Promise<void> {
  const profile = await site.profileOf(agent === USUAL_AGENT ? null : agent)
  await start(site, saying, { profile, seq: 0 })
}

/**
 * The same message again is one. A message in place of results that only its client could give supersedes those calls;
 * an approval is never skipped. @throws RefusedError
 */
export async function say(site: AgUiSite, saying: Saying, scene: SpokenTo): Promise<void> {
  const { threadId, message, author } = saying
  const { conversation, waiting } = scene
  const { run, seq } = conversation.thread
  const isNew = saidWith(conversation, message.id) === null
  if (run?.termination && isNew && hasOtherTools(run.profile, saying))
    return start(site, saying, { profile: run.profile, seq })
  const said: MessageInput = {
    ...worded(contentIn(message.content)),
    ...{ author, surface: SURFACE, inputId: message.id },
  }
  await site.holdpoint.send(threadId, said, { whileWaiting: waiting.calls.length > 0 ? 'supersede' : 'reject' })
}

interface SpokenTo {
  readonly conversation: Conversation
  readonly waiting: Waiting
}

async function start(
  { holdpoint }: AgUiSite,
  { threadId, message, tools, author }: Saying,
  { profile: { client_tools: _, ...profile }, seq }: { readonly profile: Profile; readonly seq: number },
): Promise<void> {
  await holdpoint.start({
    profile: { ...profile, ...(tools.length > 0 && { client_tools: tools }) },
    ...{ input: contentIn(message.content), inputId: message.id, author, surface: SURFACE },
    thread: { id: threadId, seq },
  })
}

function hasOtherTools({ client_tools = [] }: Profile, { tools }: Saying): boolean {
  return !isSameJson(client_tools as unknown as Json, tools as unknown as Json)
}

function worded(content: Content): { readonly text: string } | { readonly parts: Exclude<Content, string> } {
  return typeof content === 'string' ? { text: content } : { parts: content }
}
