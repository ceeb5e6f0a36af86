/** P12: the last look at a whole request. What its provider would refuse is mended in what is sent, or nothing is sent. */
import { ModelError } from '../../core/errors.ts'
import type { Message } from '../../core/journal/message.ts'
import { labelOf } from '../../core/repair/choose-repair.ts'
import type { Refusal } from '../../core/repair/refusal.ts'
import { providerOf, toolWords } from '../../core/run/repair/context-repair.ts'
import type { FittedTools } from '../provider-rules/fit-tools.ts'
import type { ProviderRules } from '../provider-rules/provider-rules.ts'
import type { Origins } from '../translate/to-prompt.ts'
import type { Place, RequestRule, Sent } from './fault.ts'
import { partsOf } from './fault.ts'
import { type Fault, faultsOf, REQUEST_RULES, RULE_NAMES } from './faults-of.ts'

/** What a request was made of. */
interface MadeOf {
  /** The id of the model. */
  readonly model: string
  readonly rules: ProviderRules
  readonly messages: readonly Message[]
  readonly tools: Pick<FittedTools, 'trueName'>
  readonly origins: Origins
}

export interface Checked {
  readonly sent: Sent
  /** What people should know of what is sent otherwise. */
  readonly notes: readonly string[]
}

/** Mending a fault may uncover another one of a rule before it. */
const MOST_ROUNDS = 3 * RULE_NAMES.length

/** @throws ModelError `model_rejected` for a request that cannot be mended */
export function lastCheck(request: Sent, made: MadeOf): Checked {
  return mended({ sent: request, notes: [] }, made, 0)
}

/** One rule after the other, until none is broken. */
function mended({ sent, notes }: Checked, made: MadeOf, round: number): Checked {
  const faults = faultsOf(made.rules, sent)
  const [first] = faults
  if (!first) return { sent, notes }
  const found = faults.filter(({ rule }) => rule === first.rule)
  const next = round < MOST_ROUNDS ? REQUEST_RULES[first.rule].repair(sent, found, made.rules) : null
  if (next === null) throw unsent(first, sent, made)
  const all = [...notes, ...found.flatMap(fault => notesOf(fault, { sent, made }))]
  return mended({ sent: next, notes: [...new Set(all)] }, made, round + 1)
}

interface Where {
  readonly sent: Sent
  readonly made: MadeOf
}

function notesOf(fault: Fault, where: Where): string[] {
  const { told }: RequestRule = REQUEST_RULES[fault.rule]
  if (told === null) return []
  const label = labelAt(fault, where) ?? 'a part of the request'
  const sent = told.replace('it is sent', `${providerOf(where.made.model)} is sent`)
  return [`${label[0]?.toUpperCase()}${label.slice(1)} ${sent}: ${fault.why}.`]
}

/** With the place in the thread, so that the run may leave out the part as it does after a refusal. */
function unsent(fault: Fault, sent: Sent, made: MadeOf): ModelError {
  const { about }: RequestRule = REQUEST_RULES[fault.rule]
  const label = labelAt(fault, { sent, made })
  const refusal: Refusal = { about, words: fault.why, ...placeOf(fault, { sent, made }) }
  const message = `${made.model} was not asked, because ${providerOf(made.model)} would refuse the request: ${fault.why}${label === null ? '' : `. It is about ${label}`}.`
  const hint = 'Leave out the part that it is about (`/drop` in a chat), or ask another model.'
  return new ModelError('model_rejected', message, { retryable: false, hint, details: { refusal } })
}

/** The place of a fault in the thread. */
function placeOf(place: Place, { sent, made }: Where): Pick<Refusal, 'tool' | 'message' | 'part'> {
  const tool = place.tool === undefined ? undefined : sent.tools?.[place.tool]
  if (tool) return { tool: made.tools.trueName(tool.name) }
  return originOf(place, { sent, made }) ?? {}
}

function originOf({ message, part, inner }: Place, { sent, made }: Where): ReturnType<Origins['get']> {
  const parts = partsOf(sent.prompt[message ?? -1] ?? { role: 'user', content: [] })
  const whole = part === undefined ? parts[0] : parts[part]
  const items = whole?.type === 'tool-result' && whole.output.type === 'content' ? whole.output.value : []
  const exact = inner === undefined ? undefined : items[inner]
  return (exact && made.origins.get(exact)) ?? (whole && made.origins.get(whole))
}

/** The part in words of people; `null` if the thread has none at this place. */
function labelAt(place: Place, where: Where): string | null {
  const { tool, message, part } = placeOf(place, where)
  if (tool !== undefined) return toolWords(tool)
  if (message === undefined) return null
  const { messages } = where.made
  const isPart = part !== undefined && messages[message]?.role !== 'assistant'
  const label = labelOf(isPart ? { type: 'part', message, part } : { type: 'message', message }, messages)
  return `${label} (message ${message + 1})`
}
