import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'

/** The outcome of a program that a call ran. The status of the call is another thing: a call whose program ran has succeeded. */
export interface CallOutcome {
  /** `null` if a signal ended it. */
  readonly exit_code: number | null
  readonly signal: string | null
  /** False also for an exit code that is an answer, as the 1 of `grep` without a match. */
  readonly failed: boolean
}

/** Reads the result of a call; `null` if it ran no program. `args`: those that ran. */
export function callOutcome(output: Json, args: JsonObject | string | null): CallOutcome | null {
  if (!isJsonObject(output)) return null
  const { exit_code, signal } = output
  if (typeof signal === 'string') return { exit_code: null, signal, failed: true }
  if (typeof exit_code !== 'number') return null
  return { exit_code, signal: null, failed: exit_code !== 0 && !(exit_code === 1 && answersByExitCode(args)) }
}

/** `exit 1`, `SIGTERM`; empty for an exit code of 0. */
export function outcomeText({ exit_code, signal }: Pick<CallOutcome, 'exit_code' | 'signal'>): string {
  return signal ?? (exit_code === 0 ? '' : `exit ${exit_code}`)
}

/** Programs whose exit code of 1 says no, or different. */
const ANSWERING = /^(?:e|f|z)?grep$|^(?:rg|ag|diff|cmp|test|\[|\[\[|pgrep|which|type|command|expr)$/
const GIT_ANSWERS = /^git\s+(?:diff\b.*\s--(?:exit-code|quiet)\b|grep\b|merge-base\b.*\s--is-ancestor\b|check-ignore\b)/

/** Programs before `&&` that do not end with 1 for a reason of their own. */
const HARMLESS = /^(?:cd|echo|printf|true|:)$/

/** True if only a program that answers can have ended the line with 1: in doubt it failed. */
function answersByExitCode(args: JsonObject | string | null): boolean {
  const command = isJsonObject(args) ? args['command'] : null
  if (typeof command !== 'string' || /\bset\s+-|pipefail|<</.test(command)) return false
  const unquoted = command.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gs, '_').replaceAll(/(^|\s)#[^\n]*/g, '$1')
  const list =
    unquoted
      .replaceAll(/&&|\|\|/g, '\0')
      .trim()
      .split(/[;\n&]+/)
      .at(-1) ?? ''
  const programs = list.split('\0').map(pipeline => pipeline.split('|').at(-1) ?? '')
  return programs.every((words, index) => isAnswer(words) || (index < programs.length - 1 && isHarmless(words)))
}

function isAnswer(text: string): boolean {
  const words = text.trim().replace(/^(?:(?:!|time|[A-Za-z_]\w*=\S*)\s+)*/, '')
  return ANSWERING.test(words.split(/\s/, 1)[0]?.replace(/^.*\//, '') ?? '') || GIT_ANSWERS.test(words)
}

function isHarmless(text: string): boolean {
  return HARMLESS.test(text.trim().split(/\s/, 1)[0] ?? '')
}
