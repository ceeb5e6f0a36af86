import { calledBeforeText } from '../../doubt/called-before.ts'
import type { Hold } from '../../hold/hold.ts'
import { type LookAlike, lookAlikes } from './look-alikes.ts'

/**
 * Holdpoint's own knowledge about the call of a hold, a sentence or two each. Every surface shows them with the
 * request.
 */
export function holdRemarks({ called_before = [], still_running }: Known): readonly string[] {
  return [...called_before.map(calledBeforeText), ...(still_running ? [still_running.text] : [])]
}

/** The words of the request that look like other words. */
export function lookAlikesOf(asked: Partial<Read>): readonly LookAlike[] {
  return lookAlikes(wordsOf(asked))
}

type Known = Partial<Pick<Hold, 'called_before' | 'still_running'>>
type Read = Pick<Hold, 'title' | 'message' | 'arguments' | 'context' | 'basis' | 'choices' | 'preview'>

/** All that people read of the request, but for images. */
function wordsOf({ title = '', message = '', preview, ...rest }: Partial<Read>): string {
  const { arguments: args, context, basis, choices } = rest
  const parts = preview?.parts.filter(({ type }) => type !== 'image')
  return [
    title,
    message,
    ...[args, context, basis, choices, parts].map(value =>
      typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    ),
  ].join('\n')
}
