/** One rule for one file: what the rules on effects say of a call of a file tool. */
import type { EffectRules } from './effect-rules.ts'
import { pathGlobs } from './path-glob.ts'

/** The file or directory that a call names. */
export interface TouchedPath {
  /** Below the directory of the run, without links; absolute if it lies elsewhere. */
  readonly real: string
  /** The same with its links. */
  readonly spelled: string
  readonly writes: boolean
}

export interface TouchedRuling {
  readonly verdict: 'never' | 'auto'
  readonly rule: string
}

/** `null` if the rules on effects have no word on it. The real path decides what is permitted, and both what is not. */
export function touchedRuling(
  effects: Pick<EffectRules, 'write' | 'never'> | undefined,
  touched: TouchedPath | undefined,
): TouchedRuling | null {
  if (!effects || !touched) return null
  const { real, spelled, writes } = touched
  const never = [real, spelled].find(path => pathGlobs(effects.never).matches(path))
  if (never !== undefined) return { verdict: 'never', rule: `effects.never covers ${never}: never` }
  const isPermitted = writes && !real.startsWith('/') && pathGlobs(effects.write).matches(real)
  return isPermitted ? { verdict: 'auto', rule: `effects.write covers ${real}: auto` } : null
}

/** True for what lists, searches and boxes leave out. */
export function isLeftOut(never: EffectRules['never'], path: string, isDirectory: boolean): boolean {
  const globs = pathGlobs(never)
  return globs.matches(path) || (isDirectory && globs.matches(`${path}/a`) && globs.matches(`${path}/.a`))
}
