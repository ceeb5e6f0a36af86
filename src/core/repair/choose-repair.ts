/** Which part of a refused request is left out. Each is left out once; what the provider took before is tried last. */

import type { Message } from '../journal/message.ts'
import type { ContentPart } from '../message/part.ts'
import type { ContextRepair, RefusedFor, RepairedPart } from '../run/repair/context-repair.ts'
import { toolWords } from '../run/repair/context-repair.ts'
import type { Refusal } from './refusal.ts'
import { placesOf } from './repaired-messages.ts'
import { resultText } from './shorten-result.ts'

/** What was sent. */
export interface RefusedRequest {
  readonly messages: readonly Message[]
  /** The repairs for this provider so far. */
  readonly repairs: readonly ContextRepair[]
  /** How many of the messages the provider has answered before. */
  readonly accepted: number
  /** How often it was repaired since the last answer. */
  readonly tries: number
  /** The digests of the schemas of the tools that were offered, by name. */
  digestOf(tool: string): string | null
}

/** What to leave out, and its name for people; `null` if nothing would help. */
export type Choice = Pick<ContextRepair, 'what' | 'label'>

type Chooser = (refusal: Refusal, request: RefusedRequest) => RepairedPart | null

const CHOOSERS: { readonly [R in RefusedFor]: Chooser } = {
  image: (refusal, request) => namedPart(refusal, request) ?? newestPart(request, isImage),
  schema: ({ tool }, { digestOf }) => {
    const digest = tool === undefined ? null : digestOf(tool)
    return tool === undefined || digest === null ? null : { type: 'tool', name: tool, digest }
  },
  order: (refusal, request) => thoughts(refusal, request),
  overflow: (refusal, request) => largeResults(refusal, request) ?? newestPart(request, () => true),
  unknown: (refusal, request) =>
    namedPart(refusal, request) ?? namedMessage(refusal, request) ?? unansweredPart(request),
}

export function chooseRepair(refusal: Refusal, request: RefusedRequest): Choice | null {
  const what = CHOOSERS[refusal.about](refusal, request)
  return what && { what, label: labelOf(what, request.messages) }
}

/** The part that a provider named, in words of people; `null` if it named none. */
export function namedWords({ tool, message }: Refusal, { messages }: RefusedRequest): string | null {
  if (tool !== undefined) return toolWords(tool)
  return message === undefined ? null : messageWords(messages[message])
}

function isImage({ type, ...part }: ContentPart): boolean {
  return type === 'image' || ('media_type' in part && part.media_type.startsWith('image/'))
}

interface Place {
  readonly message: number
  readonly part: number
}

export function partsOf(message: Message | undefined): readonly ContentPart[] {
  if (message?.role === 'user') return typeof message.content === 'string' ? [] : message.content
  return (message?.role === 'tool' ? message.parts : null) ?? []
}

/** Images and files that are still sent, the newest first. */
function sentParts({ messages, repairs }: RefusedRequest): (Place & { readonly value: ContentPart })[] {
  const gone = new Set(repairs.flatMap(({ what }) => (what.type === 'part' ? `${what.message} ${what.part}` : [])))
  const whole = new Set(repairs.flatMap(({ what }) => (what.type === 'message' ? what.message : [])))
  return messages
    .flatMap((each, message) => partsOf(each).map((value, part) => ({ message, part, value })))
    .filter(
      ({ value, message, part }) => value.type !== 'text' && !gone.has(`${message} ${part}`) && !whole.has(message),
    )
    .toReversed()
}

/** The part at the place that was named, or the newest one of its message. */
function namedPart({ message, part }: Refusal, request: RefusedRequest): RepairedPart | null {
  if (message === undefined) return null
  const inMessage = sentParts(request).filter(each => each.message === message)
  return asPart(inMessage.find(each => each.part === part) ?? inMessage[0])
}

function newestPart(request: RefusedRequest, fits: (part: ContentPart) => boolean): RepairedPart | null {
  return asPart(sentParts(request).find(({ value }) => fits(value)))
}

/** Nothing points to a part, so one that was sent before without harm is not suspected. */
function unansweredPart(request: RefusedRequest): RepairedPart | null {
  return asPart(sentParts(request).find(({ message }) => message >= request.accepted))
}

function asPart(place: Place | undefined): RepairedPart | null {
  return place ? { type: 'part', message: place.message, part: place.part } : null
}

function namedMessage({ message }: Refusal, request: RefusedRequest): RepairedPart | null {
  const role = message === undefined ? undefined : request.messages[message]?.role
  if (message === undefined || role === undefined || isRepaired('message', message, request)) return null
  return { type: 'message', message }
}

/**
 * What providers say of ids and order is mostly about signed thoughts: everything else is in order (P5). If one is
 * refused after another, none of them can be read.
 */
function thoughts({ message: named }: Refusal, request: RefusedRequest): RepairedPart | null {
  const thinking = request.messages.flatMap((each, place) => (thinks(each) ? place : []))
  const gone = new Set(request.repairs.flatMap(({ what }) => (/thoughts$/.test(what.type) ? placesOf(what) : [])))
  const left = thinking.filter(place => !gone.has(place))
  const newest = left.at(-1)
  if (newest === undefined) return null
  if (gone.size > 0 && request.tries > 0) return { type: 'all_thoughts', to: newest + 1 }
  return { type: 'thoughts', message: left.find(place => place === named) ?? newest }
}

function thinks(message: Message): boolean {
  return (
    message.role === 'assistant' &&
    typeof message.content !== 'string' &&
    message.content.some(({ type }) => type === 'reasoning')
  )
}

function isRepaired(type: RepairedPart['type'], place: number, { repairs }: RefusedRequest): boolean {
  return repairs.some(({ what }) => what.type === type && placesOf(what).includes(place))
}

/** Characters of the beginning and of the end of a result that are kept. */
const KEEP = 1_000
/** More than what is too much: a token is not always as many characters. */
const MARGIN = 1.3
/** If the provider does not say how much is too much. */
const USUAL_EXCESS = 0.3

/** The largest results, as many as it takes; those of the newest step only if the others are not enough. */
function largeResults({ excess = USUAL_EXCESS }: Refusal, request: RefusedRequest): RepairedPart | null {
  const { messages } = request
  const newest = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages
    .flatMap((each, place) =>
      each.role === 'tool' ? { place, saved: resultText(each.content).length - 2 * KEEP } : [],
    )
    .filter(({ place, saved }) => saved > 0 && !isRepaired('results', place, request))
    .toSorted((one, other) => Number(one.place > newest) - Number(other.place > newest) || other.saved - one.saved)
  let missing = lengthOf(messages) * Math.min(1, excess * MARGIN)
  const chosen = results.filter(({ saved }) => {
    const isNeeded = missing > 0
    if (isNeeded) missing -= saved
    return isNeeded
  })
  if (chosen.length === 0) return null
  return { type: 'results', messages: chosen.map(({ place }) => place).toSorted((a, b) => a - b), keep: KEEP }
}

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0)
}

/** The part in words of people. */
export function labelOf(what: RepairedPart, messages: readonly Message[]): string {
  if (what.type === 'tool') return toolWords(what.name)
  if (what.type === 'all_thoughts') return 'the thoughts in earlier answers of the model'
  if (what.type === 'results')
    return what.messages.length === 1 ? 'a long result of a tool' : `${what.messages.length} long results`
  const message = messages[what.message]
  if (what.type === 'thoughts') return 'thoughts in an answer of the model'
  return what.type === 'message' ? messageWords(message) : `${partName(message, what.part)} in ${messageWords(message)}`
}

function partName(message: Message | undefined, place: number): string {
  const part = partsOf(message)[place]
  if (part === undefined || part.type === 'text') return 'a part'
  const kind = isImage(part) ? 'picture' : 'file'
  return part.name === undefined ? `a ${kind}` : `the ${kind} ${part.name}`
}

function messageWords(message: Message | undefined): string {
  if (message?.role === 'tool') return `the result of ${message.tool_name}`
  if (message?.role === 'user' && message.author !== null) return `a message of ${message.author}`
  return message?.role === 'assistant' ? 'an answer of the model' : 'a message'
}
