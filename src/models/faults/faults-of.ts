import type { ProviderRules } from '../provider-rules/provider-rules.ts'
import { CALL_RULES } from './call-rules.ts'
import type { Found, RequestRule, Sent } from './fault.ts'
import { FILE_RULES } from './file-rules.ts'
import { ORDER_RULES } from './order-rules.ts'
import { TEXT_RULES } from './text-rules.ts'
import { TOOL_RULES } from './tool-rules.ts'

const { empty_message, no_message, ...TEXTS } = TEXT_RULES
const { thought_twice, thought_last, ...ORDER } = ORDER_RULES

/** In the order in which faults are mended: each rule may rest on those before it. */
export const REQUEST_RULES = {
  ...TOOL_RULES,
  ...TEXTS,
  ...FILE_RULES,
  ...CALL_RULES,
  thought_twice,
  thought_last,
  empty_message,
  ...ORDER,
  no_message,
} as const satisfies Readonly<Record<string, RequestRule>>

export type RuleName = keyof typeof REQUEST_RULES

export const RULE_NAMES = Object.keys(REQUEST_RULES) as readonly RuleName[]

export interface Fault extends Found {
  readonly rule: RuleName
  readonly source: string
}

/** What the provider would refuse a whole request for, by rules in their order; empty if it takes it. */
export function faultsOf(provider: ProviderRules, request: Sent, rules = RULE_NAMES): readonly Fault[] {
  return rules.flatMap(rule => {
    const { wires, source, faults }: RequestRule = REQUEST_RULES[rule]
    if (wires && !wires.includes(provider.wire)) return []
    return faults(request, provider).map(found => ({ ...found, rule, source }))
  })
}
