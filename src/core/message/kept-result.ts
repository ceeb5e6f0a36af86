/** P11: a tool that returned has run, so nothing that is wrong with its result makes its call a failed one. */
import { messageOf, RefusedError } from '../errors.ts'
import { keptJson } from '../plain/kept-json.ts'
import { isJsonObject, type Json } from '../text/json.ts'
import { cutText } from '../text/kept-text.ts'
import type { MessageLimits } from './limits.ts'
import type { ContentPart } from './part.ts'
import { contentText, sizeText } from './part-words.ts'
import { bytesOf, readPart } from './read-content.ts'
import { isToolParts } from './tool-parts.ts'

export interface KeptResult {
  readonly output: Json
  /** `output` describes them in words. */
  readonly parts?: readonly ContentPart[]
}

/** The part of a tool's result that a journal and a model can take, with a note about the rest. Never throws. */
export function keptResult(returned: unknown, limits: MessageLimits): KeptResult {
  try {
    if (isToolParts(returned)) return keptParts(returned.parts, limits)
    const { value, lost } = keptJson(returned, { root: 'result', most: limits.totalBytes })
    return { output: lost.length === 0 ? value : withNote(value, lost) }
  } catch (thrown) {
    return { output: `${ITS_RESULT} could not be kept: ${messageOf(thrown)}.` }
  }
}

const ITS_RESULT = 'It ran to its end; its result'

/** Adds a note to the result, or replaces the result by it if nothing of it is left. */
export function withNote(value: Json, lost: readonly string[]): Json {
  const isEmpty = value === null || ((isJsonObject(value) || Array.isArray(value)) && Object.keys(value).length === 0)
  if (isEmpty) return `${ITS_RESULT} could not be kept: ${lost.join('; ')}.`
  return { note: `${ITS_RESULT} could not be kept in full: ${lost.join('; ')}.`, result: value }
}

/** A lone text is a plain result. */
function keptParts(given: readonly unknown[], limits: MessageLimits): KeptResult {
  const list = Array.isArray(given) ? given : []
  const room = { bytes: limits.totalBytes }
  const kept = list.slice(0, limits.parts).map((part, index) => keptPart(part, `parts[${index}]`, { limits, room }))
  const more = list.length > limits.parts ? [note(`has ${list.length} parts, and the limit is ${limits.parts}`)] : []
  const parts = [...kept, ...more].filter(part => part.type !== 'text' || part.text.trim() !== '')
  const [first, ...others] = parts
  if (!first) return { output: `${ITS_RESULT} has no parts, or only blank texts.` }
  if (first.type === 'text' && others.length === 0) return { output: first.text }
  return { output: contentText(parts), parts }
}

interface PartRoom {
  readonly limits: MessageLimits
  readonly room: { bytes: number }
}

/** The part as it is, or a text in its place. */
function keptPart(given: unknown, at: string, { limits, room }: PartRoom): ContentPart {
  try {
    const part = readPart(given, { at, limits })
    const bytes = bytesOf(part)
    if (bytes > room.bytes)
      return note(`${at} has ${sizeText(bytes)}, more than is left of ${sizeText(limits.totalBytes)}`)
    room.bytes -= bytes
    return part
  } catch (thrown) {
    const left = beginningOf(given, Math.min(limits.partBytes, room.bytes))
    room.bytes -= left.length * MOST_BYTES
    return note(problemOf(thrown), left)
  }
}

/** The most bytes that one UTF-16 unit takes in UTF-8. */
const MOST_BYTES = 3

/** The beginning of a text that is too long; empty if it is no text. */
function beginningOf(given: unknown, bytes: number): string {
  const { text = '' } = typeof given === 'object' && given !== null ? (given as { readonly text?: unknown }) : {}
  return typeof text === 'string' ? cutText(text, Math.max(0, Math.floor(bytes / MOST_BYTES))) : ''
}

function problemOf(thrown: unknown): string {
  const problem = thrown instanceof RefusedError ? thrown.details?.['problem'] : undefined
  return typeof problem === 'string' ? problem : messageOf(thrown)
}

function note(problem: string, left = ''): ContentPart {
  return {
    type: 'text',
    text: `${left === '' ? '' : `${left}\n`}[${ITS_RESULT} could not be kept in full: ${problem}.]`,
  }
}
