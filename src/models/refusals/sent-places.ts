import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ReasoningPart } from '@ai-sdk/provider'
import type { FittedTools } from '../provider-rules/fit-tools.ts'
import type { WireName } from '../provider-rules/provider-rules.ts'
import type { Origins } from '../translate/to-prompt.ts'
import type { SentPlaces } from './read-refusal.ts'

interface Sent {
  readonly prompt: LanguageModelV4Prompt
  readonly origins: Origins
  readonly tools: Pick<FittedTools, 'sent' | 'trueName'>
  readonly wire: WireName
}

/** The places of a request as its provider numbers them, in terms of the thread. */
export function sentPlaces({ prompt, origins, tools, wire }: Sent): SentPlaces {
  const layout = LAYOUTS[wire](prompt)
  const trueNameAt = (index: number): string | null => {
    const sent = tools.sent[index]
    return sent ? tools.trueName(sent.name) : null
  }
  return {
    partAt(message, part) {
      const parts = layout[message] ?? []
      const exact = part === null ? undefined : origins.get(parts[part] ?? {})
      const [first] = parts
      const near = first && origins.get(first)
      return exact ?? (near ? { message: near.message } : null)
    },
    toolAt: trueNameAt,
    toolNamed: wireName => trueNameAt(tools.sent.findIndex(({ name }) => name === wireName)),
  }
}

/** The parts of each message on the wire. */
type Layout = readonly (readonly object[])[]

const LAYOUTS: { readonly [W in WireName]: (prompt: LanguageModelV4Prompt) => Layout } = {
  anthropic: prompt => grouped(spoken(prompt)),
  google: prompt => spoken(prompt).map(partsOf),
  openai_chat: oneByOne,
  compatible: oneByOne,
  openai_responses: prompt =>
    prompt.flatMap(message => (message.role === 'assistant' ? items(message) : oneByOne([message]))),
}

/** Each text and each call is an item of the Responses API; the thoughts with one id are one. */
function items(message: LanguageModelV4Message): Layout {
  const ids = new Set<unknown>()
  return singly(message).filter(([part = {}]) => {
    const { type, providerOptions } = part as LanguageModelV4ReasoningPart
    if (type !== 'reasoning') return true
    const { itemId } = providerOptions?.['openai'] ?? providerOptions?.['azure'] ?? {}
    const isSent = itemId !== undefined && !ids.has(itemId)
    ids.add(itemId)
    return isSent
  })
}

function spoken(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.filter(({ role }) => role !== 'system')
}

/** Each result of a tool is a message. */
function oneByOne(prompt: LanguageModelV4Prompt): Layout {
  return prompt.flatMap(message => (message.role === 'tool' ? singly(message) : [partsOf(message)]))
}

function singly(message: LanguageModelV4Message): Layout {
  return partsOf(message).map(part => [part])
}

/** Results of tools and what people say next to them are one message of the user. */
function grouped(prompt: LanguageModelV4Prompt): Layout {
  const groups: { readonly isAnswer: boolean; readonly parts: object[] }[] = []
  for (const message of prompt) {
    const isAnswer = message.role === 'assistant'
    const last = groups.at(-1)
    if (last?.isAnswer === isAnswer) last.parts.push(...partsOf(message))
    else groups.push({ isAnswer, parts: [...partsOf(message)] })
  }
  return groups.map(({ parts }) => parts)
}

function partsOf({ content }: LanguageModelV4Message): readonly object[] {
  return typeof content === 'string' ? [] : content
}
