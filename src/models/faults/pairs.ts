/** Calls of the agent's tools in a request, and the results that belong to them. */
import type { LanguageModelV4ToolCallPart, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { allParts, type PartAt, type Sent, type SentPart } from './fault.ts'

export type CallPart = LanguageModelV4ToolCallPart
export type ResultPart = LanguageModelV4ToolResultPart

export type CallAt = PartAt & { readonly value: CallPart }
export type ResultAt = PartAt & { readonly value: ResultPart }

/** A call that the provider did not run itself. */
export function isCall(part: SentPart): part is CallPart {
  return part.type === 'tool-call' && !part.providerExecuted
}

export function isResult(part: SentPart): part is ResultPart {
  return part.type === 'tool-result'
}

export function callsIn(sent: Sent): readonly CallAt[] {
  return allParts(sent).flatMap(at => (isCall(at.value) ? { ...at, value: at.value } : []))
}

export function resultsIn(sent: Sent): readonly ResultAt[] {
  return allParts(sent).flatMap(at =>
    isResult(at.value) && sent.prompt[at.message]?.role === 'tool' ? { ...at, value: at.value } : [],
  )
}

export interface Pairs {
  /** The result of each call, which is the first one behind it; `null` if there is none. */
  readonly ofCalls: readonly { readonly call: CallAt; readonly result: ResultAt | null }[]
  /** Results of no call, and further ones of the same call. */
  readonly others: readonly ResultAt[]
}

export function pairsIn(sent: Sent): Pairs {
  const results = new Map<string, ResultAt[]>()
  for (const at of resultsIn(sent)) results.set(at.value.toolCallId, [...(results.get(at.value.toolCallId) ?? []), at])
  const taken = new Set<ResultAt>()
  const ofCalls = callsIn(sent).map(call => {
    const behind = results.get(call.value.toolCallId) ?? []
    const result = behind.find(each => each.message > call.message && !taken.has(each)) ?? null
    if (result) taken.add(result)
    return { call, result }
  })
  return { ofCalls, others: [...results.values()].flat().filter(each => !taken.has(each)) }
}
