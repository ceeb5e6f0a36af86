import type { Content } from '../../core/message/part.ts'
import { partWords } from '../../core/message/part-words.ts'
import { modelName, type Profile } from '../../core/run/profile.ts'
import type { Warned } from '../../core/run/warnings/run-warning.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** What the model of a run does not read of a message. The message is kept whole: another model may read it. */
export function unreadParts(
  { unread }: Pick<Runtime, 'unread'>,
  profile: Profile | undefined,
  content: Content | null,
): Warned {
  const model = profile ? modelName(profile) : null
  if (!unread || model === null || content === null || typeof content === 'string') return {}
  const parts = content.flatMap(part => {
    const why = unread(model, part)
    return why === null ? [] : `${partWords(part).slice(0, -1)}: ${why}]`
  })
  if (parts.length === 0) return {}
  const message = `${model} does not get all of the message: ${parts.join(', ')}.`
  const hint = 'A line says so in its place. The message is kept as it is, for a model that reads it.'
  return { warnings: [{ code: 'parts_not_read', parts, message, hint }] }
}
