import { post } from '../api/client.ts'
import type { Hold } from '../api/documents.ts'
import type { Recipient } from './recipient.ts'
import type { Way } from './ways.ts'

interface Sending {
  readonly to: Recipient
  readonly text: string
  /** `null` if nothing waits. */
  readonly way: Way | null
  readonly question: Hold | null
}

/** The words of a try that got no answer: the same words again are the same message. */
let tried: { readonly text: string; readonly key: string } | null = null

/** @throws ProblemError, NoAnswerError */
export async function sendWords({ to, text, way, question }: Sending): Promise<void> {
  const name = `${to.threadId} ${way} ${text}`
  tried = tried?.text === name ? tried : { text: name, key: `page-${crypto.randomUUID()}` }
  const { key } = tried
  if (way === 'answer' && question !== null) {
    const seen = question.digest === null ? {} : { seen: { digest: question.digest } }
    await post(`/v1/holds/${question.id}/answer`, { text, ...seen }, key)
  } else
    await post(
      placeFor(to),
      to.kind === 'agent' ? { text, mode: way ?? 'queue' } : { text, while_waiting: whileWaiting(way) },
      key,
    )
  tried = null
}

function placeFor(to: Recipient): string {
  return to.kind === 'agent' ? `/v1/agents/${to.id}/messages` : `/v1/threads/${to.threadId}/messages`
}

function whileWaiting(way: Way | null): string {
  return way === null || way === 'answer' ? 'reject' : way
}
