import { afterwards, orElse } from '../../async/afterwards.ts'
import { messageOf } from '../../core/errors.ts'
import { faultsText, type ReadJson } from '../../core/plain/exact-json.ts'
import { asFitted } from '../../core/plain/fitted.ts'
import { readFitting } from '../../core/plain/read-fitting.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { differences } from '../../core/text/differences.ts'
import { frozen } from '../../core/text/frozen.ts'
import {
  canonicalJson,
  copyJson,
  isJsonObject,
  isSameJson,
  isTooDeep,
  type Json,
  type JsonObject,
} from '../../core/text/json.ts'
import type { Tool, Validated } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { isStop } from '../foreign/reach-foreign.ts'

/** A call as it would run, or what is wrong with its arguments. */
export type FittedCall =
  | { readonly ok: true; readonly call: ToolCall }
  | { readonly ok: false; readonly issues: string }

/** P9: a call whose arguments this very schema has made before is as it is. */
export async function fitCall(ids: Ids, tool: Tool, call: ToolCall): Promise<FittedCall> {
  const fitted = fittedBy(ids, tool)
  if (call.fitted === fitted) return { ok: true, call }
  // Another schema made something of them before: this one is asked about what the model wrote.
  const args = call.fitted && call.hold_id === null ? call.arguments : call.final_arguments
  if (typeof args === 'string') return { ok: false, issues: argumentsProblem(args) }
  const fit = await fitOf(tool, args)
  if (!fit.ok) return fit
  return { ok: true, call: { ...call, final_arguments: frozen(fit.value), fitted: fit.asWritten ? null : fitted } }
}

/** Identifies the schema that transformed the arguments of a call. */
export function fittedBy(ids: Ids, { inputSchema }: Tool): string {
  return ids.digest(canonicalJson(inputSchema))
}

/**
 * Fits the arguments to the tool. P9: the schema is evaluated here, once per call. People are shown its result, with
 * defaults and transforms, and that runs. Arguments that cannot be checked do not fit. @throws the reason of the stop,
 * if the run is to stop
 */
function fitOf(tool: Tool, args: JsonObject): Validated | Promise<Validated> {
  return afterwards(validated(tool, args), fit => {
    if (fit.ok && !fit.asWritten) asFitted(fit.value)
    return fit
  })
}

/** The tool gets a copy, which it may change: what the model wrote and people were shown stays as it is. */
function validated(tool: Tool, args: JsonObject): Validated | Promise<Validated> {
  return orElse(
    () =>
      afterwards(tool.validate(copyJson(args)), result => (result.ok ? result : { ok: false, issues: result.issues })),
    thrown => {
      if (isStop(thrown)) throw thrown
      return { ok: false, issues: `arguments: cannot be checked: ${messageOf(thrown)}` }
    },
  )
}

/** What a person edited: the arguments as shown, and as the model wrote them. */
export interface Edited {
  readonly shown: Json
  readonly written: Json
}

/**
 * Like `fitOf`, for arguments that a person edited. The person's text is what runs: it does not fit if the schema would
 * change it again with each check.
 */
export async function fitOfEdit(tool: Tool, edited: JsonObject, { shown, written }: Edited): Promise<Validated> {
  const fit = await fitOf(tool, edited)
  if (keeps(edited, fit)) return fit
  const mixed = withWritten(edited, { shown, written })
  const other = isSameJson(mixed, edited) ? fit : await fitOf(tool, mixed)
  if (keeps(edited, other)) return other
  if (!fit.ok) return fit
  const again = await fitOf(tool, fit.value)
  return again.ok && isSameJson(again.value, fit.value) ? fit : { ok: false, issues: changedText(edited, fit.value) }
}

/** Places that were left as they are go back to what the schema was given for them. */
function withWritten(edited: JsonObject, { shown, written }: Edited): JsonObject {
  if (!isJsonObject(shown) || !isJsonObject(written)) return edited
  const isLeft = (key: string, value: Json) =>
    Object.hasOwn(shown, key) && Object.hasOwn(written, key) && isSameJson(value, shown[key] ?? null)
  return Object.fromEntries(
    Object.entries(edited).map(([key, value]) => [key, isLeft(key, value) ? (written[key] ?? null) : value]),
  )
}

function keeps(edited: JsonObject, fit: Validated): boolean {
  return fit.ok && (fit.asWritten === true || changedIn(edited, fit.value).length === 0)
}

/** Text that became a number can be meant in one way only; a number that became another one cannot. */
function changedIn(edited: JsonObject, made: JsonObject): ReturnType<typeof differences> {
  return differences(edited, made).filter(({ was, is }) => was !== null && typeof was === typeof is)
}

function changedText(edited: JsonObject, made: JsonObject): string {
  const places = changedIn(edited, made).map(
    ({ path, was, is }) => `arguments.${path}: ${JSON.stringify(was)} would run as ${JSON.stringify(is)}`,
  )
  return `${places.join('; ')}. The schema of the tool changes this with each check, so it cannot be edited`
}

/**
 * P9: the arguments as the model wrote them, and nothing else. A number that JavaScript cannot hold becomes the text of
 * its digits if the tool takes a text there. Text that is no JSON object, or that no object can represent, stays whole:
 * the gate then refuses it to the model.
 */
export function readArguments(text: string, schema: JsonObject | null): JsonObject | string {
  // Providers send nothing at all for a call without arguments.
  if (text.trim() === '') return {}
  const { value, faults } = orNothing(text, schema)
  return isJsonObject(value) && faults.length === 0 && !isTooDeep(value) ? value : text
}

/** Why arguments that are still text cannot be used, as the model reads it. */
function argumentsProblem(text: string): string {
  const { value, faults } = orNothing(text, null)
  if (!isJsonObject(value)) return 'the arguments are not a JSON object.'
  return faults.length === 0 ? 'the arguments are nested too deeply.' : faultsText(faults, 'arguments')
}

function orNothing(text: string, schema: JsonObject | null): ReadJson {
  try {
    return readFitting(text, schema)
  } catch {
    return { value: null, faults: [] }
  }
}
