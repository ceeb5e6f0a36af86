import { differences } from '../text/differences.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'
import { visibleLine } from '../text/visible-text.ts'

/** One visible line: a place in the arguments, what was there, what is there, or a note. */
export interface ChangeLine {
  readonly what: 'place' | 'was' | 'is' | 'note'
  readonly text: string
}

/** P9: all that an approver changed in the arguments of a call, place by place; empty if nothing. */
export function argumentChanges(before: JsonObject, after: JsonObject): ChangeLine[] {
  const lines = differences(before, after, Number.POSITIVE_INFINITY).flatMap(({ path, was, is }): ChangeLine[] => [
    { what: 'place', text: visibleLine(path) },
    ...(was === null ? [] : [{ what: 'was' as const, text: visibleLine(`- ${JSON.stringify(was)}`) }]),
    ...(is === null ? [] : [{ what: 'is' as const, text: visibleLine(`+ ${JSON.stringify(is)}`) }]),
  ])
  const onlyNulls = lines.length === 0 && canonicalJson(before) !== canonicalJson(after)
  return onlyNulls ? [{ what: 'note', text: ONLY_NULLS }] : lines
}

const ONLY_NULLS = 'Only entries that are null came or went.'
