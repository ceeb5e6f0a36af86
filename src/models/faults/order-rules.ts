import {
  allParts,
  type Found,
  mapParts,
  partsOf,
  type RequestRule,
  type Sent,
  type SentMessage,
  type SentPart,
  withoutParts,
  withParts,
} from './fault.ts'
import { type CallAt, isCall, isResult, pairsIn, type ResultPart } from './pairs.ts'

const UNANSWERED =
  'Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after"; OpenAI: "An assistant message with \'tool_calls\' must be followed by tool messages"; Google: "the number of function response parts is equal to the number of function call parts"'

export const ORDER_RULES = {
  thought_twice: {
    source: 'github.com/OpenRouterTeam/ai-sdk-provider/issues/254: "Duplicate item found with id"',
    wires: ['openai_responses'],
    about: 'order',
    faults: sent => {
      const first = new Map<string, number>()
      return allParts(sent).flatMap(({ value, message, part }) => {
        const id = thoughtId(value)
        if (id === null) return []
        if (!first.has(id)) first.set(id, message)
        // The pieces of one thought have one id.
        return first.get(id) === message ? [] : { message, part, why: 'the same thought is there twice' }
      })
    },
    repair: withoutParts,
    told: null,
  },
  thought_last: {
    source: 'github.com/tailcallhq/forgecode/issues/2107, github.com/openai/openai-node/issues/1567',
    wires: ['anthropic', 'openai_responses'],
    about: 'order',
    faults: ({ prompt }) =>
      prompt.flatMap((each, message) => {
        const parts = partsOf(each)
        const end = parts.findLastIndex(({ type }) => type !== 'reasoning')
        return parts.slice(end + 1).map((_, index) => ({ message, part: end + 1 + index, why: 'a thought is its end' }))
      }),
    // What was left of a message may be nothing, which is the next fault.
    repair: withoutParts,
    told: null,
  },
  result_orphan: {
    source:
      'Anthropic: "unexpected `tool_use_id` found in `tool_result` blocks"; OpenAI: "messages with role \'tool\' must be a response to a preceding message with \'tool_calls\'"',
    about: 'unknown',
    faults: sent =>
      pairsIn(sent).others.map(({ message, part }) => ({ message, part, why: 'the call is not in the conversation' })),
    repair: withoutParts,
    told: 'is left out of what it is sent',
  },
  call_unanswered: {
    source: UNANSWERED,
    about: 'unknown',
    faults: sent =>
      pairsIn(sent).ofCalls.flatMap(({ call: { message, part }, result }) =>
        result === null ? { message, part, why: 'its result is not in the conversation' } : [],
      ),
    repair: answered,
    told: 'is sent with a note in place of its result',
  },
  result_late: {
    source: UNANSWERED,
    about: 'unknown',
    faults: sent => lateResults(sent),
    repair: ordered,
    told: null,
  },
  answers_in_a_row: {
    source:
      'github.com/google-gemini/gemini-cli/issues/11814: "function call turn comes immediately after a user turn"',
    wires: ['google'],
    about: 'unknown',
    faults: ({ prompt }) =>
      prompt.flatMap(({ role }, message) =>
        role === 'assistant' && prompt[message - 1]?.role === 'assistant'
          ? { message, why: 'two answers follow one another' }
          : [],
      ),
    repair: merged,
    told: null,
  },
  answer_first: {
    source: 'Anthropic: "messages: first message must use the "user" role"; Google: as answers in a row',
    wires: ['anthropic', 'google'],
    about: 'unknown',
    faults: ({ prompt }) => {
      const message = prompt.findIndex(({ role }) => role !== 'system')
      return prompt[message]?.role === 'assistant' ? [{ message, why: 'the conversation begins with an answer' }] : []
    },
    repair: (sent, [found]) => ({ ...sent, prompt: sent.prompt.toSpliced(found?.message ?? 0, 0, said(BEGINNING)) }),
    told: null,
  },
  answer_last: {
    source:
      'Anthropic: "This model does not support assistant message prefill. The conversation must end with a user message."',
    wires: ['anthropic'],
    about: 'unknown',
    faults: ({ prompt }) => {
      const last = prompt.at(-1)
      // A paused answer goes on by itself.
      const isPaused = last && partsOf(last).some(part => part.type === 'tool-call' && part.providerExecuted)
      return last?.role === 'assistant' && !isPaused
        ? [{ message: prompt.length - 1, why: 'the conversation ends with an answer' }]
        : []
    },
    repair: sent => ({ ...sent, prompt: [...sent.prompt, said('Go on.')] }),
    told: null,
  },
} as const satisfies Readonly<Record<string, RequestRule>>

function thoughtId({ type, providerOptions }: SentPart): string | null {
  const { itemId } = providerOptions?.['openai'] ?? providerOptions?.['azure'] ?? {}
  return type === 'reasoning' && typeof itemId === 'string' ? itemId : null
}

const BEGINNING = '[What was before is not in this conversation.]'

function said(text: string): SentMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

const MISSING = 'The result of this call is not in the conversation.'

function missingResult({ value: { toolCallId, toolName } }: CallAt): ResultPart {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: MISSING } }
}

/** Notes directly behind the messages of the calls. Results that follow them are put in order by the next rule. */
function answered(sent: Sent): Sent {
  const alone = pairsIn(sent).ofCalls.flatMap(({ call, result }) => (result === null ? call : []))
  const prompt = sent.prompt.flatMap((each, message) => {
    const notes = alone.filter(call => call.message === message).map(missingResult)
    return notes.length === 0 ? each : [each, { role: 'tool' as const, content: notes }]
  })
  return { ...sent, prompt }
}

/** The results as they should follow each message with calls. */
function wanted(sent: Sent): ReadonlyMap<number, readonly ResultPart[]> {
  const byMessage = new Map<number, ResultPart[]>()
  for (const { call, result } of pairsIn(sent).ofCalls)
    if (result) byMessage.set(call.message, [...(byMessage.get(call.message) ?? []), result.value])
  return byMessage
}

function lateResults(sent: Sent): readonly Found[] {
  return [...wanted(sent)].flatMap(([message, results]): Found[] => {
    const next = sent.prompt[message + 1]
    const found = next?.role === 'tool' ? partsOf(next).filter(isResult) : []
    const isSame = found.length === results.length && found.every((each, index) => each === results[index])
    return isSame ? [] : [{ message, why: 'the results of its calls are elsewhere' }]
  })
}

function ordered(sent: Sent): Sent {
  const byMessage = wanted(sent)
  const moved = new Set([...byMessage.values()].flat())
  const stripped = mapParts(sent, ({ value }) => (isResult(value) && moved.has(value) ? [] : [value]))
  const prompt = stripped.prompt.flatMap((each, message) => {
    const results = byMessage.get(message) ?? []
    const kept = each.role === 'tool' && each.content.length === 0 ? [] : [each]
    return results.length === 0 ? kept : [...kept, { role: 'tool' as const, content: [...results] }]
  })
  return { ...sent, prompt }
}

function merged(sent: Sent): Sent {
  const prompt = sent.prompt.reduce<SentMessage[]>((messages, each) => {
    const last = messages.at(-1)
    if (last?.role !== 'assistant' || each.role !== 'assistant' || partsOf(last).some(isCall))
      return [...messages, each]
    return [...messages.slice(0, -1), withParts(last, [...partsOf(last), ...partsOf(each)])]
  }, [])
  return { ...sent, prompt }
}
