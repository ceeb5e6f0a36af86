/** What a push says. It names the act and leads to the page: nothing is decided by it. */
import type { Hold } from '../../core/hold/hold.ts'
import { headline } from '../../core/hold-view/blocks/act-words.ts'
import { shortLine } from '../../core/hold-view/hold-row.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { riskMark } from '../../core/notice/notice-text.ts'
import type { PushSettings } from '../../core/settings/people/push-settings.ts'

/** The message as the service worker of the page reads it (`web/public/service-worker.js`). */
export interface PushMessage {
  /** `null`: it is about several. */
  readonly hold_id: string | null
  readonly title: string
  readonly body: string
}

export function pushMessage({ hold, holds, text }: Notice, { body }: Pick<PushSettings, 'body'>): PushMessage {
  const hold_id = hold?.id ?? null
  if (hold === null)
    return { hold_id, title: `${holds.length} wait for you`, body: body === 'none' ? '' : actsOf(holds) }
  if (body === 'none') return { hold_id, title: 'Something waits for you', body: '' }
  const { agent, task } = hold
  const words = [text.lead, shortLine(agent).line, task && shortLine(task.text).line]
  return { hold_id, title: `${riskMark(hold)}${headline(hold)}`, body: words.filter(Boolean).join(' \u00b7 ') }
}

/** A notification has a few lines. */
const MOST_ACTS = 4

function actsOf(holds: readonly Hold[]): string {
  return holds
    .slice(0, MOST_ACTS)
    .map(hold => headline(hold))
    .join('\n')
}
