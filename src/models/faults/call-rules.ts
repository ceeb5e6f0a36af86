import type { ProviderRules } from '../provider-rules/provider-rules.ts'
import { wireCallId, wireToolName } from '../provider-rules/wire-names.ts'
import {
  allParts,
  type Found,
  isAt,
  mapParts,
  type PartAt,
  type RequestRule,
  type Sent,
  type SentPart,
  withoutParts,
} from './fault.ts'
import { type CallPart, callsIn, isCall, isResult, type ResultPart } from './pairs.ts'

export const CALL_RULES = {
  call_name: {
    source: `Anthropic: "tool_use.name: String should match pattern"; OpenAI: "Invalid 'messages[2].tool_calls[0].function.name'"`,
    about: 'unknown',
    faults: (sent, rules) =>
      ownParts(sent).flatMap(({ value, message, part }) =>
        wireToolName(value.toolName, rules) === value.toolName ? [] : { message, part, why: 'it names no such tool' },
      ),
    repair: (sent, _, rules) => mapOwn(sent, ({ toolName }) => ({ toolName: wireToolName(toolName, rules) })),
    told: null,
  },
  call_id: {
    source: `Anthropic: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"; OpenAI: "Expected a string with maximum length 40"`,
    about: 'unknown',
    faults: (sent, rules) =>
      ownParts(sent).flatMap(({ value: { toolCallId }, message, part }) =>
        toolCallId !== '' && wireCallId(toolCallId, rules) === toolCallId
          ? []
          : { message, part, why: 'it refuses the id of the call' },
      ),
    repair: (sent, _, rules) =>
      mapOwn(sent, ({ toolCallId }) => ({ toolCallId: wireCallId(toolCallId || 'call', rules) })),
    told: null,
  },
  call_twice: {
    source: 'Anthropic: "messages: `tool_use` ids must be unique"; OpenAI: "Duplicate value for \'tool_call_id\'"',
    about: 'unknown',
    faults: sent => {
      const calls = callsIn(sent)
      return calls.flatMap(({ value: { toolCallId: id }, message, part }, index) =>
        calls.findIndex(({ value }) => value.toolCallId === id) < index
          ? { message, part, why: 'another call has its id' }
          : [],
      )
    },
    repair: withOwnIds,
    told: null,
  },
  provider_call_alone: {
    source: 'github.com/AnswerDotAI/lisette/issues/108, github.com/anthropics/claude-code/issues/65726',
    about: 'unknown',
    faults: sent =>
      allParts(sent).flatMap(({ value, message, part }) =>
        isOfProvider(value, sent.prompt[message]) && !hasOther(value, allParts(sent), message)
          ? { message, part, why: 'only one half of the call is there' }
          : [],
      ),
    repair: withoutParts,
    told: 'is left out of what it is sent',
  },
} as const satisfies Readonly<Record<string, RequestRule>>

type OwnPart = CallPart | ResultPart

/** Calls of the agent's tools, and their results. */
function ownParts(sent: Sent): readonly (PartAt & { readonly value: OwnPart })[] {
  return allParts(sent).flatMap(at => (isOwn(at, sent) ? { ...at, value: at.value as OwnPart } : []))
}

function isOwn({ value, message }: PartAt, { prompt }: Sent): boolean {
  return isCall(value) || (isResult(value) && prompt[message]?.role === 'tool')
}

function mapOwn(sent: Sent, change: (value: OwnPart) => Partial<OwnPart>): Sent {
  return mapParts(sent, at => [
    isOwn(at, sent) ? ({ ...at.value, ...change(at.value as OwnPart) } as SentPart) : at.value,
  ])
}

/** A call gets another id if an earlier one has its own, and so do the results that follow it. */
function withOwnIds(sent: Sent, found: readonly Found[], rules: ProviderRules): Sent {
  const names = new Map<string, string>()
  const taken = new Set(callsIn(sent).map(({ value }) => value.toolCallId))
  return mapParts(sent, at => {
    if (!isOwn(at, sent)) return [at.value]
    const own = at.value as OwnPart
    if (isAt(found, at)) names.set(own.toolCallId, freeId(own.toolCallId, taken, rules))
    const toolCallId = names.get(own.toolCallId)
    return [toolCallId === undefined ? own : { ...own, toolCallId }]
  })
}

function freeId(id: string, taken: Set<string>, { longestCallId: longest }: ProviderRules): string {
  for (let number = 2; ; number += 1) {
    const end = `_${number}`
    const free = `${id.slice(0, longest - end.length)}${end}`
    if (taken.has(free)) continue
    taken.add(free)
    return free
  }
}

function isOfProvider(value: SentPart, message: Sent['prompt'][number] | undefined): boolean {
  if (value.type === 'tool-call') return value.providerExecuted === true
  return value.type === 'tool-result' && message?.role === 'assistant'
}

function hasOther(value: SentPart, all: readonly PartAt[], message: number): boolean {
  if (value.type !== 'tool-call' && value.type !== 'tool-result') return true
  const other = value.type === 'tool-call' ? 'tool-result' : 'tool-call'
  return all.some(
    at => at.message === message && at.value.type === other && (at.value as OwnPart).toolCallId === value.toolCallId,
  )
}
