import { isApprovalRequest } from '../hold/approval-request.ts'
import type { Hold } from '../hold/hold.ts'
import { isSamePerson } from '../people/same-person.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

/** Under `command` a tool takes a line for the shell. */
const COMMAND = 'command'
/** Characters with which a line is more than one program with its words. */
const SHELL = /[;&|`$()<>\n\\{}*?[\]!#~]/
/** A part of a text that may name a file or a URL. */
const PLACE = /[^\s"'=,;]*[/\\~][^\s"'=,;]*|(?<![^\s"'=])\.\.?(?![^\s"'])/g

/**
 * True if edited arguments may reach further than the request: another program, more than one, or a place outside the
 * named ones. Doubt counts as such.
 */
export function reachesFurther(asked: JsonObject | string | null, edited: JsonObject): boolean {
  if (!isJsonObject(asked)) return true
  if (isOtherCommand(asked[COMMAND], edited[COMMAND])) return true
  const known = placesIn(asked)
  return placesIn(edited).some(place => !known.some(each => isWithin(each, place)))
}

function isOtherCommand(asked: Json | undefined, edited: Json | undefined): boolean {
  if (typeof edited !== 'string' || edited === asked) return false
  if (typeof asked !== 'string' || SHELL.test(edited)) return true
  const [words, known] = [wordsOf(edited), wordsOf(asked)]
  // Each word that is no flag may be a file, or what the program acts on.
  return words[0] !== known[0] || words.some(word => !word.startsWith('-') && !known.includes(word))
}

function wordsOf(line: string): string[] {
  return line.trim().split(/\s+/)
}

function placesIn(value: Json): string[] {
  if (typeof value === 'string') return value.match(PLACE) ?? []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(placesIn)
}

/** True for the same place, or one below it. */
function isWithin(asked: string, place: string): boolean {
  if (place === asked) return true
  return !/(^|[/\\])\.\.([/\\]|$)/.test(place) && place.startsWith(asked.endsWith('/') ? asked : `${asked}/`)
}

/**
 * Whether others can be asked about an edit that reaches further. That takes a call that runs as it is approved, and
 * another person who may approve it.
 */
export function canAskOthers({ resume_mode, tool, deciders }: Hold, by: string): boolean {
  if (resume_mode !== 'replay_tool_call' || isApprovalRequest(tool ?? '')) return false
  const { people = null, groups = [] } = deciders ?? {}
  return people === null || groups.length > 0 || people.some(name => !isSamePerson(name, by))
}
