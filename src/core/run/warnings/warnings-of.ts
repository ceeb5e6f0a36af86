import { readPattern } from '../../pattern/pattern.ts'
import { PROVIDER_PREFIX } from '../../policy/provider-tools.ts'
import { type ModelSwitch, switchWords } from '../outcome/outage.ts'
import type { Profile } from '../profile.ts'
import { type ContextRepair, repairWords } from '../repair/context-repair.ts'
import { type CountedCalls, observedWarnings, refusalWarnings } from './counted-calls.ts'
import type { RunWarning, Warner } from './run-warning.ts'

interface Told {
  readonly refused: CountedCalls
  readonly observed: CountedCalls
  readonly repairs: readonly ContextRepair[]
  readonly switches: readonly ModelSwitch[]
  readonly unsummarized: string | null
  readonly left_out: ReadonlyMap<string, string>
  readonly warned: ReadonlyMap<string, Warner>
  readonly profile: Pick<Profile, 'stop'>
}

/** The warnings for the person who started a run. */
export function warningsOf({
  refused,
  observed,
  repairs,
  switches,
  unsummarized,
  left_out,
  warned,
  profile,
}: Told): readonly RunWarning[] {
  return [
    ...[...left_out].map(leftOutWarning),
    ...[...warned].map(saidWarning),
    ...repairWarnings(repairs),
    ...switchWarnings(switches),
    ...(unsummarized === null ? [] : [unsummarizedWarning(unsummarized)]),
    ...refusalWarnings(refused),
    ...observedWarnings(observed),
    ...profile.stop.flatMap(patternWarnings),
  ]
}

function repairWarnings(repairs: readonly ContextRepair[]): readonly RunWarning[] {
  if (repairs.length === 0) return []
  return [
    {
      code: 'context_repaired',
      parts: repairs.map(({ label }) => label),
      message: repairs.map(repairWords).join(' '),
      hint: 'Everything is still in the conversation, and another provider gets it.',
    },
  ]
}

function switchWarnings(switches: readonly ModelSwitch[]): readonly RunWarning[] {
  const [first] = switches
  if (!first) return []
  const models = [...new Set(switches.flatMap(({ to }) => to ?? []))]
  const hint = 'They are `fallback_models` of the run; its own model is asked again after five minutes.'
  return [{ code: 'model_switched', models, message: switchWords(first), hint }]
}

function unsummarizedWarning(why: string): RunWarning {
  return {
    code: 'context_not_summarized',
    message: `The conversation was longer than the model reads, and could not be summarized: ${why.replace(/\.$/, '')}.`,
    hint: 'The model went on with less of it. Everything is still in the conversation; `context.model` names another model.',
  }
}

function patternWarnings(condition: Profile['stop'][number]): readonly RunWarning[] {
  const pattern = condition.type === 'content_match' ? readPattern(condition.pattern) : null
  if (pattern === null || 'test' in pattern) return []
  const message = `The run stops on a pattern that has a deadline, and is not found if it is late: ${pattern.fault}.`
  return [{ code: 'irregular_pattern', message, hint: 'Write it as that says in the definition of the agent.' }]
}

function saidWarning([message, { code, name }]: readonly [string, Warner]): RunWarning {
  if (code === 'tool_warning')
    return { code, name, message, hint: `${name} says so itself; its result is in the conversation.` }
  const hint = 'It is on record, and the run goes on. The settings of the agent, or another model, may change it.'
  return { code, name, message: `${name}: ${message.replace(/\.$/, '')}.`, hint }
}

function leftOutWarning([name, message]: readonly [string, string]): RunWarning {
  const hint = name.startsWith(PROVIDER_PREFIX)
    ? `Name it in the policy to offer it: "tools": { "${name}": "auto" }. Nobody is asked before a provider runs it.`
    : 'The agent runs without it. A server with "required": true stops every agent that may use it.'
  return { code: 'tools_left_out', name, message, hint }
}
