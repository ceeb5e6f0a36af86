/** What a hold asks, in words for messages: the blocks of every surface (P8), painted as visible lines (P9). */
import type { Hold } from '../hold/hold.ts'
import { headline } from '../hold-view/blocks/act-words.ts'
import { blockLines } from '../hold-view/blocks/block-lines.ts'
import type { ChangeLine } from '../hold-view/blocks/change-lines.ts'
import { type Block, holdBlocks } from '../hold-view/blocks/hold-blocks.ts'
import { visibleText } from '../text/visible-text.ts'

/** The request of a hold, in the order in which a message shows it. */
export interface NoticeBody {
  /** The act or the question, in one visible line. */
  readonly act: string
  /** Sentences of Holdpoint's own that come before everything else. */
  readonly warnings: readonly string[]
  /** Words of the agent or of a tool; `null` if the act says them. */
  readonly words: string | null
  /** The command, the effect and the arguments, a group of lines each. */
  readonly effect: readonly EffectGroup[]
  /** False if it has an image, which words cannot show. */
  readonly isWhole: boolean
}

export interface EffectGroup {
  readonly type: Exclude<Block['type'], 'warning' | 'remark' | 'prose'>
  readonly lines: readonly ChangeLine[]
}

export function noticeBody(hold: Hold): NoticeBody {
  const blocks = holdBlocks(hold)
  const said = (...types: readonly Block['type'][]) =>
    blocks.flatMap(block => (types.includes(block.type) && 'text' in block ? [visibleText(block.text)] : []))
  const words = said('prose')
  return {
    act: headline(hold),
    warnings: [...said('warning').map(text => `${text}.`), ...said('remark')],
    words: words.length === 0 ? null : words.join('\n\n'),
    effect: blocks.flatMap(groupOf),
    isWhole: blocks.every(block => block.type !== 'part' || block.part.type !== 'image'),
  }
}

function groupOf(block: Block): EffectGroup[] {
  if (block.type === 'warning' || block.type === 'remark' || block.type === 'prose') return []
  const lines = blockLines([block])
  return lines.length === 0 ? [] : [{ type: block.type, lines }]
}

/** The lines of groups, one below the other. */
export function effectText(effect: readonly EffectGroup[]): string {
  return effect.map(({ lines }) => lines.map(({ text }) => text).join('\n')).join('\n\n')
}
