import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import type { RefusedFor } from '../../core/run/repair/context-repair.ts'
import type { ProviderRules, WireName } from '../provider-rules/provider-rules.ts'

/** A whole request, as the AI SDK's packages are given it. */
export type Sent = LanguageModelV4CallOptions

export type SentMessage = LanguageModelV4Message

export type SentPart = Exclude<SentMessage['content'], string>[number]

/** A place in a request: a tool, a message, a part of it, a part of the result of a tool. All are counted from 0. */
export interface Place {
  readonly tool?: number
  readonly message?: number
  readonly part?: number
  readonly inner?: number
}

/** A place that breaks a rule. `why` is the end of a sentence about it. */
export interface Found extends Place {
  readonly why: string
}

/** What providers refuse, and how a request is mended that has it. */
export interface RequestRule {
  /** Where the rule is known from. */
  readonly source: string
  /** The protocols that have the rule. Default: all of them. */
  readonly wires?: readonly WireName[]
  /** What a request is refused for that breaks it. */
  readonly about: RefusedFor
  faults(sent: Sent, rules: ProviderRules): readonly Found[]
  /** The request without these faults; `null` if there is no way. */
  repair(sent: Sent, found: readonly Found[], rules: ProviderRules): Sent | null
  /** What people learn of the repair, as the middle of a sentence; `null` if the model loses nothing by it. */
  readonly told: string | null
}

export function partsOf({ content }: SentMessage): readonly SentPart[] {
  return typeof content === 'string' ? [] : content
}

export function withParts(message: SentMessage, parts: readonly SentPart[]): SentMessage {
  return { ...message, content: parts } as SentMessage
}

export interface PartAt {
  readonly message: number
  readonly part: number
  readonly value: SentPart
}

/** Each part with its place. */
export function allParts({ prompt }: Sent): readonly PartAt[] {
  return prompt.flatMap((each, message) => partsOf(each).map((value, part) => ({ message, part, value })))
}

/** The request with other parts; messages in which none is another one stay the same objects. */
export function mapParts(sent: Sent, change: (at: PartAt) => readonly SentPart[]): Sent {
  const prompt = sent.prompt.map((each, message) => {
    const parts = partsOf(each)
    const changed = parts.flatMap((value, part) => change({ message, part, value }))
    const isSame = changed.length === parts.length && changed.every((value, part) => value === parts[part])
    return isSame ? each : withParts(each, changed)
  })
  return { ...sent, prompt }
}

/** True for the part at one of these places. */
export function isAt(found: readonly Found[], { message, part }: Pick<PartAt, 'message' | 'part'>): boolean {
  return found.some(each => each.message === message && each.part === part)
}

export function withoutParts(sent: Sent, found: readonly Found[]): Sent {
  return mapParts(sent, at => (isAt(found, at) ? [] : [at.value]))
}

export function withoutMessages(sent: Sent, found: readonly Found[]): Sent {
  const gone = new Set(found.map(({ message }) => message))
  return { ...sent, prompt: sent.prompt.filter((_, index) => !gone.has(index)) }
}
