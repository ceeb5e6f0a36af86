import { calledBeforeText } from '../../doubt/called-before.ts'
import type { Hold } from '../../hold/hold.ts'
import { lookAlikes, lookAlikeText } from './look-alikes.ts'

/**
 * Holdpoint's own knowledge about the call of a hold, a sentence or two each. Every surface shows them with the
 * request.
 */
export function holdRemarks({ called_before = [], still_running, ...asked }: Known): readonly string[] {
  return [
    ...called_before.map(calledBeforeText),
    ...(still_running ? [still_running.text] : []),
    ...lookAlikes(wordsOf(asked)).map(lookAlikeText),
  ]
}

type Known = Partial<Pick<Hold, 'called_before' | 'still_running' | keyof Read>>
type Read = Pick<Hold, 'message' | 'arguments' | 'context' | 'basis' | 'choices' | 'preview'>

/** All that people read of the request, but for images. */
function wordsOf({ message = '', preview, ...rest }: Partial<Read>): string {
  const { arguments: args, context, basis, choices } = rest
  const parts = preview?.parts.filter(({ type }) => type !== 'image')
  return [
    message,
    ...[args, context, basis, choices, parts].map(value =>
      typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    ),
  ].join('\n')
}
