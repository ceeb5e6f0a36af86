/** P1, P3, P9: whether an effect may happen, read off the journal as it is at that moment. */
import { isDeepStrictEqual } from 'node:util'
import type { Verdict } from '../../src/core/policy/policy.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import { must, shown } from './broken.ts'
import { ownWord } from './cast.ts'
import type { HoldWatch } from './hold-watch.ts'
import type { Effect } from './ledger.ts'
import { BLOCKED, DENIED, GIVEN, GUARDED, type Plot, type PluginName, THROWN_AT } from './plot.ts'
import type { ThreadWatch } from './thread-watch.ts'
import { DESTRUCTIVE } from './tool-names.ts'
import { decidersOf, mayDecide, quorumOf } from './who-may.ts'

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
    must(
      released.length > 0 || isCovered(plot, watch, effect),
      'P1',
      () => `${call_id} (${tool} ${shown(args)}) was not approved`,
    )
  if (tool === 'demanding' && !released.some(isByPerson)) approvedInWords(effect, watch, plot)
  byEnough(effect, released, plot)
  const guarded = n === GUARDED && plot.plugins.includes('guard')
  const byGuard = asked.some(({ opened, decided }) => opened.data.plugin === 'guard' && isFavour(decided))
  must(!guarded || byGuard, 'P1', () => `${call_id} ran past the guard`)
  const isClaimed = claims.some(({ data }) => data.digest === effect.digest)
  must(isClaimed, 'P9', () => `${call_id} ran as ${effect.digest}, claimed was ${claims.at(-1)?.data.digest}`)
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

/** Something else than an approval of its own lets it pass; nothing lifts `never`. */
function isCovered(plot: Plot, watch: ThreadWatch, { tool, call_id, args }: Effect): boolean {
  const verdict = plot.policy.tools[tool] ?? plot.policy.default
  if (verdict === 'never') return false
  const past = watch.gated(call_id).at(-1)?.data
  const byGrant = past?.grant_id !== null && past !== undefined && !DESTRUCTIVE.has(tool)
  const ran = [...watch.byGrant.values()].filter(passed => passed.call_id === call_id).at(-1)
  if (byGrant) return isDeepStrictEqual(ran?.args, args)
  return tool === 'demanding' && typeof past?.approval_id === 'string'
}

/** An approval in words of just this covers this call and no other, and was given by who may decide about it. */
function approvedInWords({ call_id, args, tool }: Effect, watch: ThreadWatch, plot: Plot): void {
  const gated = watch.gated(call_id).at(-1)
  const id = gated?.data.approval_id
  const hold = watch.asked.get(id ?? '')
  must(hold !== undefined, 'in words', () => `${call_id} was not approved in words: ${shown(gated)}`)
  const { decided, opened, row } = hold
  const isBefore = decided !== null && decided.seq < (gated?.seq ?? 0)
  must(isBefore && decided.kind === 'hold.decided' && isFavour(decided), 'in words', () => `${id} approved nothing`)
  const said = decided.data.decision.arguments ?? (hold.args as JsonObject)
  const isSame = isDeepStrictEqual([said['action'], said['details']], [tool, args])
  must(
    isSame && row.tool === 'request_approval',
    'in words',
    () => `${shown(said)} was approved, ran with ${shown(args)}`,
  )
  const uses = watch.events.filter(each => each.kind === 'call.gated' && each.data.approval_id === id)
  const calls = new Set(uses.map(each => (each.data as { call_id: string }).call_id))
  must(calls.size === 1, 'in words', () => `${id} covers ${[...calls]}`)
  if (!plot.people.toolDeciders.demanding) return
  const deciders = decidersOf(plot, tool)
  const question = hold.question
  const by = [...hold.approvers]
  const mayAll = by.every(decided_by => mayDecide(deciders, question, { decided_by, verdict: 'approve' }))
  must(
    mayAll && by.length >= (deciders?.quorum ?? 1),
    'in words',
    () => `${by} may not approve ${tool} (${opened.seq})`,
  )
}

/** A person was asked by policy whether just this call may run. */
function isByPerson({ opened, decided }: HoldWatch): boolean {
  return opened.data.plugin === 'policy' && decided?.kind === 'hold.decided'
}

/** P1: where several must approve, or nobody may stand in, each release is by so many people, or by what time was to do. */
function byEnough({ tool, call_id }: Effect, released: readonly HoldWatch[], plot: Plot): void {
  for (const { decided, approvers, row } of released) {
    const byTime = decided?.kind === 'hold.expired'
    must(!byTime || !DESTRUCTIVE.has(tool), 'P1', () => `${call_id} (${tool}) was approved by nobody`)
    const quorum = quorumOf(plot, row)
    must(byTime || approvers.size >= quorum, 'quorum', () => `${[...approvers]} approved ${call_id}, ${quorum} must`)
  }
}

function byOwnWord(byDefault: Verdict, word: boolean | null): Verdict {
  if (word === null || byDefault === 'never') return byDefault
  return word ? 'prompt' : 'auto'
}

/** Somebody released a call with just these arguments. */
function releases({ opened, args, decided }: HoldWatch, ran: Effect['args']): boolean {
  if (opened.data.kind !== 'approval' || !isFavour(decided)) return false
  return isDeepStrictEqual(decided?.data.decision.arguments ?? args, ran)
}

function isFavour(decided: HoldWatch['decided']): boolean {
  return says(decided, 'approve') || says(decided, 'edit')
}

function says(decided: HoldWatch['decided'], verdict: string): boolean {
  return decided?.data.decision.verdict === verdict
}
