import type { Hold } from '../hold/hold.ts'
import { previewLines } from '../hold-view/preview-lines.ts'
import { visibleJson } from '../text/visible-text.ts'

/** Characters. Mail programs cut longer texts. */
const MOST = 60_000

/**
 * P9: true if a mail shows all that an approval of this hold releases. Else it shows none of it: half of a call is worse than
 * none, and no reply to it approves.
 */
export function fitsMail({ arguments: args, preview }: Pick<Hold, 'arguments' | 'preview'>): boolean {
  if (preview?.parts.some(({ type }) => type === 'image')) return false
  const shown = preview ? previewLines(preview).reduce((sum, { text }) => sum + text.length + 1, 0) : 0
  return shown + (args === null ? 0 : visibleJson(args).length) <= MOST
}
