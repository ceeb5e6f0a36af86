import { visibleProse } from '../../../core/text/visible-text.ts'

/** More of it is in no list: `holdpoint show` has the whole. */
const LONGEST = 200

/** P9: the beginning of the message that began a run, in one visible line. Empty if it began without one. */
export function aboutText(input = ''): string {
  const line = input
    .slice(0, LONGEST * 2)
    .trim()
    .replaceAll(/[ \t\r\n]+/g, ' ')
  const characters = [...line]
  const isCut = characters.length > LONGEST || input.length > LONGEST * 2
  return visibleProse(isCut ? `${characters.slice(0, LONGEST).join('')}…` : line)
}
