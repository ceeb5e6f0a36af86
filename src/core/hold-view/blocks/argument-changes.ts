import { lineDiff } from '../../preview/line-diff.ts'
import { differences } from '../../text/differences.ts'
import { canonicalJson, type Json, type JsonObject } from '../../text/json.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { type ChangeLine, diffLines } from './change-lines.ts'

/** P9: all that an approver changed in the arguments of a call, place by place; empty if nothing. */
export function argumentChanges(before: JsonObject, after: JsonObject): ChangeLine[] {
  const lines = differences(before, after, Number.POSITIVE_INFINITY).flatMap(({ path, was, is }): ChangeLine[] => [
    { what: 'place', text: visibleLine(path) },
    ...(changedLines(was, is) ?? [
      ...(was === null ? [] : [{ what: 'was' as const, text: visibleLine(`- ${JSON.stringify(was)}`) }]),
      ...(is === null ? [] : [{ what: 'is' as const, text: visibleLine(`+ ${JSON.stringify(is)}`) }]),
    ]),
  ])
  const onlyNulls = lines.length === 0 && canonicalJson(before) !== canonicalJson(after)
  return onlyNulls ? [{ what: 'note', text: ONLY_NULLS }] : lines
}

const ONLY_NULLS = 'Only entries that are null came or went.'

/**
 * The lines that differ between two texts of several lines; `null` if a value is no such text, or too long to compare.
 */
function changedLines(was: Json, is: Json): ChangeLine[] | null {
  if (typeof was !== 'string' || typeof is !== 'string' || !`${was}${is}`.includes('\n')) return null
  // Only a line break that one of them lacks is worth a word.
  const end = was.endsWith('\n') || is.endsWith('\n') ? '' : '\n'
  const diff = lineDiff(`${was}${end}`, `${is}${end}`)
  return diff && diffLines(diff.diff)
}
