import { RefusedError } from '../../core/errors.ts'

/** What somebody says, from code that may not be typed. @throws RefusedError `empty_message` where it says nothing. */
export function messageText(text: unknown): string {
  if (typeof text === 'string' && text.trim() !== '') return text
  throw new RefusedError('empty_message', 'The message is empty, so nothing was sent.', { hint: 'Give it a text.' })
}
