import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { matchesGlob } from '../glob.ts'
import { type Policy, type PolicyRule, STRICTNESS, type Verdict } from '../policy.ts'

/** One line of another product's settings, translated. */
export interface Entry {
  /** The line as it is written there. */
  readonly written: string
  readonly tool: string
  /** `null` if it is about every call. */
  readonly match: Readonly<Record<string, string>> | null
  readonly verdict: Verdict
}

/** A line that has no equal here. */
export interface LeftOut {
  readonly written: string
  readonly why: string
}

export interface Translated {
  readonly entries: readonly Entry[]
  readonly left_out: readonly LeftOut[]
}

export interface ImportedPolicy {
  readonly policy: Pick<Policy, 'default' | 'tools' | 'rules'>
  readonly left_out: readonly LeftOut[]
}

export function joined(all: readonly Translated[]): Translated {
  return { entries: all.flatMap(({ entries }) => entries), left_out: all.flatMap(({ left_out }) => left_out) }
}

export function leftOut(written: string, why: string): Translated {
  return { entries: [], left_out: [{ written, why }] }
}

/** The texts of a list of rules. Anything else in its place is reported: it may forbid something. */
export function listed(value: Json | undefined, name: string): { readonly texts: readonly string[] } & Translated {
  if (value === undefined || value === null) return { texts: [], ...joined([]) }
  const lines = Array.isArray(value) ? value : []
  const odd = Array.isArray(value) ? lines.filter(line => typeof line !== 'string') : [value]
  const texts = lines.filter(line => typeof line === 'string')
  return { texts, ...joined(odd.map(each => leftOut(`${name}: ${JSON.stringify(each)}`, 'it is no list of texts'))) }
}

/** Settings that restrict or permit, and that have no equal here. Unset ones are left out. */
export function unequalled(settings: Json, paths: Readonly<Record<string, string>>): Translated {
  return joined(
    Object.entries(paths).flatMap(([path, why]) => {
      const value = valueAt(settings, path.split('.'))
      const isUnset = value === null || value === false || (Array.isArray(value) && value.length === 0)
      return isUnset ? [] : [leftOut(`${path}: ${JSON.stringify(value)}`, why)]
    }),
  )
}

/** `null` if it is not there. */
export function valueAt(settings: Json, path: readonly string[]): Json {
  return path.reduce<Json>((at, key) => (isJsonObject(at) ? ((at as JsonObject)[key] ?? null) : null), settings)
}

/** These products look without asking. `search_files` asks: it shows files that a line about reading may forbid. */
const LOOKS: Readonly<Record<string, Verdict>> = {
  read_file: 'auto',
  list_files: 'auto',
  find_files: 'auto',
  ask_human: 'auto',
}

/**
 * A policy equal to the entries. There the strictest line wins; here a rule outranks its tool. So a rule is left out if
 * it would lift a stricter line about the whole tool.
 */
export function policyOf({ entries, left_out }: Translated): ImportedPolicy {
  const whole = wholeTools(entries)
  const isLifting = ({ tool, verdict }: Entry) =>
    [...whole].some(([glob, over]) => matchesGlob(glob, tool) && STRICTNESS[over] > STRICTNESS[verdict])
  const rules = entries.flatMap((entry): PolicyRule[] => {
    const { tool, match, verdict } = entry
    return match === null || isLifting(entry) ? [] : [{ tool, match, policy: verdict }]
  })
  const tools = entries.filter(entry => entry.match === null && !isLifting(entry))
  const lifting = new Map(entries.filter(isLifting).map(({ written, tool }) => [written, tool]))
  return {
    policy: {
      default: 'prompt',
      tools: { ...LOOKS, ...Object.fromEntries(tools.map(({ tool, verdict }) => [tool, verdict])) },
      rules: once(rules),
    },
    left_out: [
      ...left_out,
      ...[...lifting].map(([written, tool]) => ({ written, why: `another line is stricter about all of ${tool}` })),
    ],
  }
}

function wholeTools(entries: readonly Entry[]): ReadonlyMap<string, Verdict> {
  const whole = new Map<string, Verdict>()
  for (const { tool, match, verdict } of entries) {
    const before = whole.get(tool)
    const isStricter = before === undefined || STRICTNESS[verdict] > STRICTNESS[before]
    if (match === null && isStricter) whole.set(tool, verdict)
  }
  return whole
}

function once(rules: readonly PolicyRule[]): PolicyRule[] {
  return [...new Map(rules.map(rule => [canonicalJson(rule as unknown as Json), rule])).values()]
}

/** `beginning`, alone or with more words after it. A restrictive pattern means both anyway. */
export function commandEntries(written: string, beginning: string, verdict: Verdict): readonly Entry[] {
  const patterns = verdict === 'auto' ? [beginning, `${beginning} *`] : [`${beginning} *`]
  return patterns.map(command => ({ written, tool: 'run_command', match: { command }, verdict }))
}
