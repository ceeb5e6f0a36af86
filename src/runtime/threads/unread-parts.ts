import type { Thread } from '../../core/journal/thread.ts'
import type { Content, ContentPart } from '../../core/message/part.ts'
import { partWords } from '../../core/message/part-words.ts'
import { partsOf } from '../../core/repair/choose-repair.ts'
import { foldedTo } from '../../core/run/context/compaction.ts'
import { modelName, type Profile } from '../../core/run/profile.ts'
import type { Warned } from '../../core/run/warnings/run-warning.ts'
import type { Runtime } from '../../ports/runtime.ts'

interface Heard {
  readonly profile: Profile | undefined
  readonly content: Content | null
  /** The thread before the message; `null` for a new one. */
  readonly thread: Pick<Thread, 'messages' | 'context'> | { readonly id: string } | null | undefined
}

/**
 * What the model of a run does not read of a message, and what it does not read any more because of it: among many images,
 * large ones are left out. The message is kept whole: another model may read it.
 */
export function unreadParts({ unread }: Pick<Runtime, 'unread'>, { profile, content, thread }: Heard): Warned {
  const model = profile ? modelName(profile) : null
  if (!unread || model === null || content === null || typeof content === 'string') return {}
  const earlier =
    thread && 'messages' in thread ? thread.messages.slice(foldedTo(thread.context.compactions)).flatMap(partsOf) : []
  const among = [...earlier, ...content]
  const isNew = (part: ContentPart) => unread(model, part, earlier) === null
  const parts = [...earlier.filter(isNew), ...content].flatMap(part => {
    const why = unread(model, part, among)
    return why === null ? [] : `${partWords(part).slice(0, -1)}: ${why}]`
  })
  if (parts.length === 0) return {}
  const message = `${model} does not get all of the message: ${parts.join(', ')}.`
  const hint = 'A line says so in its place. The message is kept as it is, for a model that reads it.'
  return { warnings: [{ code: 'parts_not_read', parts, message, hint }] }
}
