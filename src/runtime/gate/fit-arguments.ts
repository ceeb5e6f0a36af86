import { afterwards, orElse } from '../../async/afterwards.ts'
import { messageOf } from '../../core/errors.ts'
import { copyJson, isSameJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool, Validated } from '../../ports/agent/tool.ts'
import { isStop } from '../foreign/reach-foreign.ts'

/**
 * Whether the arguments fit the tool, and how they would run.
 * P9: with the defaults that the schema fills in, so that people are shown all that runs. If a second check would change
 * the arguments once more, they run as they are written. What cannot be checked does not fit. @throws the reason of
 * the stop, if the run is to stop
 */
export function fitOf(tool: Tool, args: JsonObject): Validated | Promise<Validated> {
  return afterwards(validated(tool, args), filled => {
    if (!filled.ok || isSameJson(filled.value, args)) return filled
    return afterwards(validated(tool, filled.value), (again): Validated => {
      return again.ok && isSameJson(again.value, filled.value) ? filled : { ok: true, value: copyJson(args) }
    })
  })
}

/** The tool gets a copy, which it may change: what the model wrote and people were shown stays as it is. */
function validated(tool: Tool, args: JsonObject): Validated | Promise<Validated> {
  return orElse(
    () => afterwards(tool.validate(copyJson(args)), said => (said.ok ? said : { ok: false, issues: said.issues })),
    thrown => {
      if (isStop(thrown)) throw thrown
      return { ok: false, issues: `arguments: cannot be checked: ${messageOf(thrown)}` }
    },
  )
}
