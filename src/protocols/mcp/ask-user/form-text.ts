import type { Hold } from '../../../core/hold/hold.ts'
import { headline, taskLine } from '../../../core/hold-view/blocks/act-words.ts'
import { blockLines } from '../../../core/hold-view/blocks/block-lines.ts'
import { holdBlocks } from '../../../core/hold-view/blocks/hold-blocks.ts'
import type { Asking, Identity } from '../offer/offer.ts'

/**
 * P9: what a person must have seen to decide, in full. Nothing that an agent wrote can look like a line of ours: it is set
 * in.
 */
export function formText(
  hold: Hold,
  { person, visibleText }: Pick<Identity, 'person'> & Pick<Asking, 'visibleText'>,
): string {
  const { id, agent, run_id, kind, task = null } = hold
  const shown = (text: string) => `    ${visibleText(text)}`
  return [
    `${visibleText(agent)} waits for you (${kind}):`,
    ...[headline(hold), ...(task ? [taskLine(task)] : [])].map(shown),
    ...blockLines(holdBlocks(hold)).map(({ text }) => shown(text)),
    `What you say is recorded as ${visibleText(person)}. (${id} of ${run_id})`,
  ].join('\n')
}
