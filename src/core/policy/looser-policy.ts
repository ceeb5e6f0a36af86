import { mayLetMoreHappen } from '../effect/looser-effects.ts'
import { canonicalJson } from '../text/json.ts'
import { type Policy, STRICTNESS, type Verdict } from './policy.ts'

/** One line of a policy document. */
interface Entry {
  readonly rank: 'rule' | 'exact' | 'glob'
  readonly verdict: Verdict
}

/**
 * True if `after` may let a call pass that `before` holds or refuses. Entries are compared as they are written: false
 * is certain for every tool and every argument, and true includes each uncertain case (P1).
 */
export function mayLetMorePass(before: Policy, after: Policy): boolean {
  const [were, are] = [entriesOf(before), entriesOf(after)]
  return (
    STRICTNESS[after.default] < STRICTNESS[before.default] ||
    (after.reads === 'auto' && before.reads !== 'auto') ||
    (before.on_never === 'reject' && after.on_never !== 'reject') ||
    (before.mode !== 'observe' && after.mode === 'observe') ||
    mayLetMoreHappen(before.effects, after.effects) ||
    [...were].some(([key, entry]) => isLooser(are.get(key), entry)) ||
    [...are].some(([key, entry]) => isLoosening(entry, were.get(key), before))
  )
}

/** If an entry is written twice, the stricter one counts. */
function entriesOf({ tools, rules }: Policy): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const add = (key: string, entry: Entry) => {
    if (STRICTNESS[entry.verdict] >= STRICTNESS[entries.get(key)?.verdict ?? 'auto']) entries.set(key, entry)
  }
  for (const [name, verdict] of Object.entries(tools))
    add(`tool ${name}`, { rank: name.includes('*') ? 'glob' : 'exact', verdict })
  for (const { tool, match, policy } of rules)
    add(`rule ${canonicalJson({ tool, match })}`, { rank: 'rule', verdict: policy })
  return entries
}

/** An entry that asks or forbids has to stay. Removing one that permits only permits less. */
function isLooser(after: Entry | undefined, before: Entry): boolean {
  return STRICTNESS[after?.verdict ?? 'auto'] < STRICTNESS[before.verdict]
}

/** An entry outranks others: a new `prompt` could replace a `never`. */
function isLoosening(entry: Entry, was: Entry | undefined, before: Policy): boolean {
  if (was?.verdict === entry.verdict || entry.verdict === 'never') return false
  return STRICTNESS[entry.verdict] < STRICTNESS.prompt || outranksNever(entry, before)
}

function outranksNever({ rank }: Entry, { tools, default: otherwise }: Policy): boolean {
  return otherwise === 'never' || (rank !== 'glob' && Object.values(tools).includes('never'))
}
