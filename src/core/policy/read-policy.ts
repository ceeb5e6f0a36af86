import type { EffectRules } from '../effect/effect-rules.ts'
import { readHostRule } from '../effect/host-rules.ts'
import type { RefusedError } from '../errors.ts'
import { settingRefusals } from '../refusals/setting-refusals.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import type { Policy, PolicyRule, Verdict } from './policy.ts'

/** The default: looking is free, doing asks. */
export const DEFAULT_POLICY: Policy = {
  default: 'prompt',
  tools: { read_file: 'auto', list_files: 'auto', find_files: 'auto', search_files: 'auto', ask_human: 'auto' },
  rules: [],
  on_never: 'pause',
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  auto: 'auto',
  autoapprove: 'auto',
  box: 'box',
  prompt: 'prompt',
  never: 'never',
}

const KEYS: readonly string[] = [
  '$schema',
  'default',
  'tools',
  'rules',
  'on_never',
  'reads',
  'strict',
  'mode',
  'effects',
]
const RULE_KEYS: readonly string[] = ['tool', 'match', 'policy', 'risk']

/** A policy document (docs/design/policy.md) as a policy. @throws RefusedError `invalid_policy` that names the place. */
export function readPolicy(document: Json, source: string): Policy {
  const policy = objectAt(document, { source, path: '' })
  knownKeys(policy, KEYS, { source, path: '' })
  if (typeof policy['$schema'] !== 'string' && policy['$schema'] !== undefined)
    throw invalid({ source, path: '$schema' }, 'must be text')
  const { tools = {}, rules = [], strict = false } = policy
  if (typeof strict !== 'boolean') throw invalid({ source, path: 'strict' }, 'must be true or false')
  const reads = wordAt(policy, ['prompt', 'auto'], { source, path: 'reads' })
  const mode = wordAt(policy, ['ask', 'observe'], { source, path: 'mode' })
  return {
    default: policy['default'] === undefined ? 'prompt' : verdictAt(policy['default'], { source, path: 'default' }),
    tools: toolsAt(tools, { source, path: 'tools' }),
    rules: rulesAt(rules, { source, path: 'rules' }),
    on_never: wordAt(policy, ['pause', 'reject'], { source, path: 'on_never' }),
    ...(strict && { strict }),
    ...(mode === 'observe' && { mode }),
    ...(reads === 'auto' && { reads }),
    ...(policy['effects'] !== undefined && { effects: effectsAt(policy['effects'], { source, path: 'effects' }) }),
  }
}

const EFFECT_KEYS: readonly string[] = ['write', 'delete', 'never', 'hosts', 'git', 'drift']

function effectsAt(value: Json, place: PolicyPosition): EffectRules {
  const effects = objectAt(value, place)
  knownKeys(effects, EFFECT_KEYS, place)
  const list = (key: string) => textsAt(effects[key] ?? [], below(place, key))
  const word = <T extends string>(key: string, words: readonly [T, T]) =>
    wordAt({ [key]: effects[key] ?? words[0] }, words, { source: place.source, path: key })
  return {
    write: list('write'),
    delete: list('delete'),
    never: list('never'),
    hosts: list('hosts').map((text, index) => hostAt(text, below(below(place, 'hosts'), String(index)))),
    git: word('git', ['ask', 'commit']),
    drift: word('drift', ['ask', 'rerun']),
  }
}

function hostAt(text: string, place: PolicyPosition): string {
  const rule = readHostRule(text)
  if ('problem' in rule) throw invalid(place, rule.problem)
  return text
}

function textsAt(value: Json, place: PolicyPosition): readonly string[] {
  if (!Array.isArray(value)) throw invalid(place, 'must be a list of texts')
  return value.map((text, index) => {
    if (typeof text !== 'string' || text.trim() === '') throw invalid(below(place, String(index)), 'must be a text')
    return text
  })
}

/** Reads one of two words; the first is the default. */
function wordAt<T extends string>(policy: JsonObject, [usual, other]: readonly [T, T], place: PolicyPosition): T {
  const { [place.path]: word = usual } = policy
  if (word !== usual && word !== other) throw invalid(place, `must be "${usual}" or "${other}"`)
  return word as T
}

interface PolicyPosition {
  readonly source: string
  readonly path: string
}

function toolsAt(value: Json, place: PolicyPosition): Record<string, Verdict> {
  const entries = Object.entries(objectAt(value, place))
  return Object.fromEntries(entries.map(([name, verdict]) => [name, verdictAt(verdict, below(place, name))]))
}

function rulesAt(value: Json, place: PolicyPosition): PolicyRule[] {
  if (!Array.isArray(value)) throw invalid(place, 'must be a list of rules')
  return value.map((entry: Json, index) => ruleAt(entry, below(place, String(index))))
}

function ruleAt(value: Json, place: PolicyPosition): PolicyRule {
  const rule = objectAt(value, place)
  knownKeys(rule, RULE_KEYS, place)
  const { tool } = rule
  if (typeof tool !== 'string' || tool === '') throw invalid(below(place, 'tool'), 'must name a tool')
  const match = objectAt(rule['match'] ?? null, below(place, 'match'))
  if (Object.keys(match).length === 0) throw invalid(below(place, 'match'), 'must match at least one argument')
  return {
    tool,
    match: patternsAt(match, below(place, 'match')),
    policy: verdictAt(rule['policy'] ?? null, below(place, 'policy')),
    ...(isHighRisk(rule['risk'], below(place, 'risk')) && { risk: 'high' as const }),
  }
}

function isHighRisk(risk: Json | undefined, place: PolicyPosition): boolean {
  if (risk !== undefined && risk !== 'high' && risk !== 'ordinary') throw invalid(place, 'must be "ordinary" or "high"')
  return risk === 'high'
}

function patternsAt(match: JsonObject, place: PolicyPosition): Record<string, string> {
  const entries = Object.entries(match).map(([name, pattern]): [string, string] => {
    if (typeof pattern !== 'string') throw invalid(below(place, name), 'must be a pattern, as text')
    return [name, pattern]
  })
  return Object.fromEntries(entries)
}

function verdictAt(value: Json, place: PolicyPosition): Verdict {
  const verdict = typeof value === 'string' ? VERDICTS[value.toLowerCase().replaceAll(/[_-]/g, '')] : undefined
  if (!verdict) throw invalid(place, `must be "auto", "box", "prompt" or "never", not ${JSON.stringify(value)}`)
  return verdict
}

function objectAt(value: Json, place: PolicyPosition): JsonObject {
  if (!isJsonObject(value)) throw invalid(place, 'must be an object')
  return value
}

function knownKeys(value: JsonObject, known: readonly string[], place: PolicyPosition): void {
  const unknown = Object.keys(value).find(key => !known.includes(key))
  if (unknown !== undefined) throw invalid(below(place, unknown), `is not known here; known: ${known.join(', ')}`)
}

function below({ source, path }: PolicyPosition, key: string): PolicyPosition {
  return { source, path: path === '' ? key : `${path}.${key}` }
}

function invalid({ source, path }: PolicyPosition, problem: string): RefusedError {
  return settingRefusals.invalidPolicy(source, path || 'it', problem)
}
