import { post } from '../api/client.ts'
import type { Hold } from '../api/documents.ts'
import type { Way } from './ways.ts'

interface Sending {
  readonly threadId: string
  readonly text: string
  /** `null` if nothing waits. */
  readonly way: Way | null
  readonly question: Hold | null
}

/** The words of a try that got no answer: the same words again are the same message. */
let tried: { readonly text: string; readonly key: string } | null = null

/** @throws ProblemError, NoAnswerError */
export async function sendWords({ threadId, text, way, question }: Sending): Promise<void> {
  const name = `${threadId} ${way} ${text}`
  tried = tried?.text === name ? tried : { text: name, key: `page-${crypto.randomUUID()}` }
  const { key } = tried
  if (way === 'answer' && question !== null) {
    const seen = question.digest === null ? {} : { seen: { digest: question.digest } }
    await post(`/v1/holds/${question.id}/answer`, { text, ...seen }, key)
  } else
    await post(
      `/v1/threads/${threadId}/messages`,
      { text, while_waiting: way === 'answer' ? 'reject' : (way ?? 'reject') },
      key,
    )
  tried = null
}
