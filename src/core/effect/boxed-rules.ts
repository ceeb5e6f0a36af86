import { type EffectRules, NO_EFFECT_RULES } from './effect-rules.ts'
import { type TouchedPath, touchedRuling } from './touched-files.ts'

interface Policy {
  readonly default: Ruling['verdict']
  readonly tools: Readonly<Record<string, string>>
  readonly rules: readonly { readonly policy: string }[]
  readonly mode?: 'observe'
  readonly effects?: EffectRules
}

interface Ruling {
  readonly verdict: 'auto' | 'box' | 'prompt' | 'never'
  readonly rule: string
  readonly binding: boolean
  readonly risk?: 'high'
}

interface Boxable {
  readonly no_box?: string | null
}

/**
 * A path that is never touched outranks what is said of the tool. One that may be written replaces the default, but never
 * lifts a default of `never`.
 */
export function pathOrSaid(
  { effects, default: verdict }: Policy,
  { touches }: { readonly touches?: TouchedPath },
  said: Ruling | undefined,
): Ruling {
  const ofPath = touchedRuling(effects, touches)
  if (ofPath?.verdict === 'never') return { ...ofPath, binding: false }
  if (said) return said
  if (ofPath && verdict !== 'never') return { ...ofPath, binding: false }
  return { verdict, rule: `default: ${verdict}`, binding: false }
}

/**
 * A box takes what cannot be read, too: there the kernel decides what a command reaches, and its effect is ruled on.
 * Without a box people are asked.
 */
export function boxedOrAsked({ effects }: Policy, { no_box }: Boxable, said: Doubted): Ruling {
  const { isDoubt, ...ruling } = said
  if (isDoubt && effects && no_box === null) return { verdict: 'box', rule: ruling.rule, binding: false }
  if (ruling.verdict !== 'box' || no_box === null) return ruling
  const why = no_box === undefined ? 'this tool has none' : no_box
  return { verdict: 'prompt', rule: `${ruling.rule} (would run in a box, but ${why}: asks)`, binding: false }
}

/** What asks in any case, whatever the rules say. */
interface Doubtful {
  readonly protected: string | null
  readonly unclear: string | null
  readonly outside?: true
}

const OUTSIDE = 'it asks to run outside of the box'

export function atLeastAsks(
  said: Ruling,
  { protected: kept, unclear, outside }: Doubtful,
  doubt: string | null,
): Doubted {
  if (said.verdict === 'never') return { ...said, isDoubt: false }
  if (outside) return { verdict: 'prompt', rule: OUTSIDE, binding: true, risk: 'high', isDoubt: false }
  const mustAsk = kept ?? doubt
  if (mustAsk !== null) return { verdict: 'prompt', rule: mustAsk, binding: true, isDoubt: said.verdict !== 'prompt' }
  const isUnclear = unclear !== null && said.verdict === 'auto'
  return isUnclear ? { verdict: 'prompt', rule: unclear, binding: false, isDoubt: true } : { ...said, isDoubt: false }
}

export interface Doubted extends Ruling {
  /** It is asked about only because nobody can tell what it does. */
  readonly isDoubt: boolean
}

/** True if calls may run in a box under the policy. */
export function mayBox({ default: otherwise, tools, rules, effects }: Policy): boolean {
  return (
    effects !== undefined || [otherwise, ...Object.values(tools), ...rules.map(({ policy }) => policy)].includes('box')
  )
}

/** The rules on the effects of calls in a box. */
export function boxedRules(
  policy: Policy,
  verdict: Ruling['verdict'] | undefined,
): { readonly over: 'overlay' | 'directory'; readonly effects: EffectRules; readonly observes: boolean } | null {
  if (!mayBox(policy)) return null
  const over = verdict === 'box' ? 'overlay' : 'directory'
  return { over, effects: policy.effects ?? NO_EFFECT_RULES, observes: policy.mode === 'observe' }
}
