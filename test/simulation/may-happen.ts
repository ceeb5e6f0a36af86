/** P1, P3, P9: whether an effect may happen, read off the journal as it is at that moment. */
import { isDeepStrictEqual } from 'node:util'
import type { Verdict } from '../../src/core/policy.ts'
import { must, shown } from './broken.ts'
import { ownWord } from './cast.ts'
import type { Effect } from './ledger.ts'
import { BLOCKED, DENIED, GIVEN, GUARDED, type Plot, type PluginName, THROWN_AT } from './plot.ts'
import type { Asked, ThreadWatch } from './thread-watch.ts'

/** With this `n` a call never gets past that plugin. */
const NEVER_PAST: readonly (readonly [PluginName, number])[] = [
  ['giver', GIVEN],
  ['denier', DENIED],
  ['blocker', BLOCKED],
  ['thrower', THROWN_AT],
]

export function mayHappen(
  effect: Effect,
  watch: ThreadWatch,
  { plot, before }: { plot: Plot; before: readonly Effect[] },
): void {
  const { tool, call_id, args } = effect
  const asked = watch.askedOf(call_id)
  const claims = watch.started(call_id)
  must(
    claims.length > before.length,
    'P3',
    () => `${call_id} happened ${before.length + 1}x, claimed ${claims.length}x`,
  )
  must(claims[0]?.data.idempotency_key === effect.key, 'P3', () => `${call_id} has the key ${effect.key}`)
  const again = asked.filter(
    ({ opened, decided }) => opened.data.kind === 'in_doubt' && says(decided, 'approve'),
  ).length
  if (tool !== 'again') must(before.length <= again, 'P3', () => `${call_id} (${tool}) happened ${before.length + 1}x`)
  must(tool !== 'elsewhere' && tool !== 'asks_value', 'P1', () => `${tool} ran, which waits for an answer`)

  const n = Number(args['n'])
  const past = NEVER_PAST.find(([plugin, number]) => number === n && plot.plugins.includes(plugin))
  must(past === undefined, 'P1', () => `${call_id} ran past ${past?.[0]}`)
  const released = asked.filter(each => releases(each, args))
  if (isHeld(plot, tool, n))
    must(released.length > 0, 'P1', () => `${call_id} (${tool} ${shown(args)}) was not approved`)
  const guarded = n === GUARDED && plot.plugins.includes('guard')
  const byGuard = asked.some(({ opened, decided }) => opened.data.plugin === 'guard' && isFavour(decided))
  must(!guarded || byGuard, 'P1', () => `${call_id} ran past the guard`)
  // A process that slept on its claim knows nothing of what was approved since.
  const claimed = claims.findLast(({ data }) => data.digest === effect.digest)?.seq ?? Number.POSITIVE_INFINITY
  const digests = asked.flatMap(({ decided }) =>
    decided && decided.seq < claimed ? (decided.data.decision.digest ?? []) : [],
  )
  const bound = digests.length === 0 || digests.includes(effect.digest)
  must(bound, 'P9', () => `${call_id} ran as ${effect.digest}, approved were ${digests}`)
}

function isHeld({ policy, pauseOn }: Plot, tool: Effect['tool'], n: number): boolean {
  const verdict = policy.tools[tool] ?? byOwnWord(policy.default, ownWord(tool, n))
  return verdict === 'never' || (verdict === 'prompt' && pauseOn.includes('approval'))
}

function byOwnWord(byDefault: Verdict, word: boolean | null): Verdict {
  if (word === null || byDefault === 'never') return byDefault
  return word ? 'prompt' : 'auto'
}

/** Somebody released a call with just these arguments. */
function releases({ opened, args, decided }: Asked, ran: Effect['args']): boolean {
  if (opened.data.kind !== 'approval' || !isFavour(decided)) return false
  return isDeepStrictEqual(decided?.data.decision.arguments ?? args, ran)
}

function isFavour(decided: Asked['decided']): boolean {
  return says(decided, 'approve') || says(decided, 'edit')
}

function says(decided: Asked['decided'], verdict: string): boolean {
  return decided?.data.decision.verdict === verdict
}
