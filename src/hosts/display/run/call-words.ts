import type { CallStatus } from '../../../core/run/tool-call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/text/json.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'

export interface KnownCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
}

/** A call in one line: `run_command  npm test`, `write_file  path: "a.txt", content: "…"`. */
export function callText({ name, arguments: args }: KnownCall): string {
  const text = typeof args === 'string' ? args : argumentsText(args)
  return visibleLine(text === '' ? name : `${name}  ${text.replaceAll('\n', '\\n')}`)
}

function argumentsText(args: JsonObject): string {
  const entries = Object.entries(args)
  const [only] = entries
  if (only && entries.length === 1) return asText(only[1])
  return entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export interface CallEnd {
  readonly status: Extract<CallStatus, 'succeeded' | 'failed' | 'cancelled'>
  readonly output: Json
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Longer results are told by their size. */
const SHORT = 40

/** The result, in short; empty if there is nothing to say. */
export function endText({ status, output, error }: CallEnd): string {
  if (error) return visibleLine(`${error.code}: ${error.message}`)
  if (status !== 'succeeded') return status
  if (isJsonObject(output)) return commandEnd(output)
  return typeof output === 'string' ? textSize(output) : ''
}

/** True for a call that did not do what it was for, also a command with another exit code than 0. */
export function isFailure({ status, output }: CallEnd): boolean {
  return status !== 'succeeded' || (isJsonObject(output) && commandEnd(output) !== '')
}

function commandEnd(output: JsonObject): string {
  const { exit_code: exit, signal } = output
  if (typeof signal === 'string') return visibleLine(signal)
  return typeof exit === 'number' && exit !== 0 ? `exit ${exit}` : ''
}

function textSize(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines > 1) return `${lines.toLocaleString('en-US')} lines`
  return text.length <= SHORT ? visibleLine(text.trim()) : `${text.length.toLocaleString('en-US')} characters`
}
