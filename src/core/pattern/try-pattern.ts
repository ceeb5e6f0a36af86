import { readPattern } from './pattern.ts'

/**
 * Tries an expression that only JavaScript can run, within a deadline. `false` too if it is late. Older agents have
 * such expressions: new ones are refused.
 */
export type TryPattern = (source: string, text: string) => boolean

/** Whether a pattern is found in a text. */
export function isFound(source: string, text: string, tryIrregular: TryPattern): boolean {
  const pattern = readPattern(source)
  if ('test' in pattern) return pattern.test(text)
  return pattern.isIrregular && tryIrregular(source, text)
}

export const NEVER_TRIED: TryPattern = () => false
