import { differences } from '../../../core/text/differences.ts'
import { canonicalJson, type JsonObject } from '../../../core/text/json.ts'
import { visibleLine } from '../../process/visible-text.ts'
import { type Paint, PLAIN } from '../terminal/colours.ts'

/** P9: all that somebody changed in the arguments of a call, place by place; empty where nothing. */
export function argumentDifference(before: JsonObject, after: JsonObject, paint: Paint = PLAIN): string {
  const lines = differences(before, after, Number.POSITIVE_INFINITY).flatMap(({ path, was, is }) => [
    paint('bold', visibleLine(path)),
    ...(was === null ? [] : [paint('red', visibleLine(`- ${JSON.stringify(was)}`))]),
    ...(is === null ? [] : [paint('green', visibleLine(`+ ${JSON.stringify(is)}`))]),
  ])
  if (lines.length === 0 && canonicalJson(before) !== canonicalJson(after)) lines.push(ONLY_NULLS)
  return lines.map(line => `${line}\n`).join('')
}

const ONLY_NULLS = 'Only entries that are null came or went.'
