import { matchesGlob } from '../policy/glob.ts'
import { mayLetMorePass } from '../policy/looser-policy.ts'
import { canonicalJson, type Json } from '../text/json.ts'
import type { Profile, ProfileChanges } from './profile.ts'
import type { StopCondition } from './stop-condition.ts'

/** A setting of a run that may change between two advances. */
export type Setting = keyof ProfileChanges

/** Names of the tools that a run may use by now; `null` if they are unknown. */
export type UsableTools = readonly string[] | null

type Widens<K extends Setting> = (before: Profile[K], after: Profile[K], usable: UsableTools) => boolean

/** Holdpoint does not know the effect of another value, so it counts as wider. */
const inDoubt = () => true
const never = () => false

/** A new setting does not compile until it has a rule for when a change widens. */
const WIDENS: { readonly [K in Setting]-?: Widens<K> } = {
  agent: inDoubt,
  agent_file: inDoubt,
  // Another model or other instructions make other use of all that the run was given.
  model: inDoubt,
  agent_model: inDoubt,
  model_settings: inDoubt,
  // Another model may write the summaries, and what they leave out is not read.
  context: inDoubt,
  instructions: inDoubt,
  tools: hasMoreTools,
  // Their calls wait for the client, and nothing of them runs here.
  client_tools: never,
  policy: mayLetMorePass,
  pause_on: (before, after) => before.some(kind => !after.includes(kind)),
  unasked: before => before === 'refuse',
  max_concurrent_calls: (before, after) => after > before,
  stop: (before, after) => before.some(limit => !after.some(other => isAsStrict(other, limit))),
  prices: (before, after) => !isContinued(before, after),
  // Manifests are written there; no call sees it.
  project: never,
  configured_in: inDoubt,
  workdir: inDoubt,
  rules_from: inDoubt,
  due: inDoubt,
  deciders: inDoubt,
  groups: inDoubt,
  proven_groups: inDoubt,
  approval_answers: (_, after) => after === 'tolerant',
}

/** The settings that have another value than before. */
export function changedSettings(before: Profile, changes: ProfileChanges): readonly Setting[] {
  return (Object.keys(changes) as Setting[]).filter(setting => isChanged(before[setting], changes[setting]))
}

/**
 * The changed settings by which a run may do more than it could, or others may decide. The others are certain to narrow
 * it, or to let nothing happen (P1).
 */
export function widenedSettings(before: Profile, changes: ProfileChanges, usable: UsableTools): readonly Setting[] {
  return changedSettings(before, changes).filter(setting => {
    const widens = WIDENS[setting] as Widens<Setting> | undefined
    return widens?.(before[setting], changes[setting], usable) ?? true
  })
}

const SCRIPT = 'script:'

/** Drops changes of file locations: they only follow the files to a new machine. */
export function withoutPlaces(before: Profile, changes: ProfileChanges): ProfileChanges {
  const { project: _, configured_in, workdir, agent_file, model, ...others } = changes
  const isMoved = Boolean(before.model?.startsWith(SCRIPT) && model?.startsWith(SCRIPT))
  return model === undefined || isMoved ? others : { ...others, model }
}

function isChanged(before: unknown, after: unknown): boolean {
  return canonicalJson((before ?? null) as Json) !== canonicalJson((after ?? null) as Json)
}

/** Further models may get a price behind those that are there, so nothing counts less than before. */
function isContinued(before: Profile['prices'] = {}, after: Profile['prices'] = {}): boolean {
  const beginning = Object.entries(after).slice(0, Object.keys(before).length)
  return JSON.stringify(beginning) === JSON.stringify(Object.entries(before))
}

function hasMoreTools(before: Profile['tools'], after: Profile['tools'], usable: UsableTools): boolean {
  const had = before ?? usable
  if (after === null || had === null) return true
  return !after.every(name => had.includes(name) || isAmong(name, had))
}

function isAmong(name: string, patterns: readonly string[]): boolean {
  return !name.includes('*') && patterns.some(pattern => pattern.includes('*') && matchesGlob(pattern, name))
}

/** The number by which a condition is stricter the lower it is; `null` if it has none that could be compared. */
const LIMITS: Record<StopCondition['type'], string | null> = {
  max_rounds: 'rounds',
  timeout: 'seconds',
  token_budget: 'max_total',
  budget: 'usd',
  consecutive_errors: 'max',
  stop_on_tool: null,
  content_match: null,
  loop_detection: null,
  max_pauses: 'pauses',
}

function isAsStrict(one: StopCondition, other: StopCondition): boolean {
  const [mine, others] = [split(one), split(other)]
  return canonicalJson(mine.rest) === canonicalJson(others.rest) && mine.limit <= others.limit
}

function split(condition: StopCondition): { limit: number; rest: Json } {
  const { [LIMITS[condition.type] ?? '']: limit = 0, ...rest } = condition as unknown as Record<string, Json>
  return { limit: Number(limit), rest }
}
