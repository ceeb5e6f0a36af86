import type { Notice } from '../../core/notice/notice.ts'
import type { Notifier } from '../../ports/notifier.ts'
import { makeLink } from '../access/runtime-links.ts'
import type { NotifyDeps } from './notify-deps.ts'

/**
 * The page at which the person of a notice decides, once. Each try has a link of its own: the store keeps no secret that
 * could be sent again. `null` for a notice that asks no person, and for channels without links.
 */
export async function noticeLink(
  { notifier, baseUrl, ...making }: NotifyDeps & { readonly notifier: Notifier },
  { hold, person, text }: Notice,
): Promise<string | null> {
  const asks = hold?.status === 'open' && person !== null && text.offers.length > 0
  if (!asks || !notifier.hasLinks || baseUrl === null) return null
  return `${baseUrl}/l/${await makeLink(making, { hold, person, channel: notifier.kind })}`
}
