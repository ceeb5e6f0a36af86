/**
 * P8, P9: what a hold asks, in blocks, in the order in which a person reads them: warnings, words, the effect, then the
 * arguments in full. Every surface paints these blocks; none adds or leaves out one.
 */
import { type Hold, usualMessage } from '../../hold/hold.ts'
import { type Preview, type PreviewPart, previewProblem } from '../../preview/preview.ts'
import { isJsonObject, isSameJson, type Json, type JsonObject } from '../../text/json.ts'
import { headline } from './act-words.ts'
import { holdRemarks, lookAlikesOf } from './hold-remarks.ts'
import { lookAlikeText } from './look-alikes.ts'

/** The first words about a call to which policy says never, on every surface. */
export const SAYS_NEVER = 'POLICY SAYS NEVER: approving overrides it'

/** A piece of what a hold asks. */
export type Block =
  /** A sentence of Holdpoint's own: `bad` before it overrides a policy, `warn` before it reaches something, or has look-alike letters. */
  | { readonly type: 'warning'; readonly tone: 'bad' | 'warn'; readonly text: string }
  /** What Holdpoint knows about the call: how the same one ended before. */
  | { readonly type: 'remark'; readonly text: string }
  /** Words of the agent or of a tool: Markdown. */
  | { readonly type: 'prose'; readonly text: string }
  /** A command, in full. `isSaid`: the headline says all of it. */
  | { readonly type: 'command'; readonly text: string; readonly isSaid: boolean }
  | { readonly type: 'part'; readonly part: PreviewPart }
  /**
   * A value in full, and arguments with the title `ARGUMENTS`. `isFolded`: long texts that the effect above was made from,
   * so a surface that can unfold may fold them.
   */
  | { readonly type: 'value'; readonly title: string; readonly value: Json; readonly isFolded: boolean }
  | { readonly type: 'choices'; readonly choices: readonly string[] }

export type Asked = Pick<Hold, 'kind' | 'tool' | 'message' | 'arguments'> &
  Partial<
    Pick<
      Hold,
      | 'title'
      | 'risk'
      | 'reaches'
      | 'overrides_never'
      | 'context'
      | 'basis'
      | 'choices'
      | 'response_schema'
      | 'preview'
      | 'called_before'
      | 'still_running'
    >
  >

export function holdBlocks(hold: Asked): readonly Block[] {
  const { preview, still_running } = hold
  const effect = preview ? partsOf(preview) : []
  const printed = still_running?.printed ?? { stdout: '', stderr: '' }
  return [
    ...warningsOf(hold),
    ...holdRemarks(hold).map(text => ({ type: 'remark' as const, text })),
    ...proseOf(hold),
    ...commandOf(hold),
    ...effect,
    ...argumentBlocks(argumentsLeft(hold), effect.some(showsEffect)),
    ...valueBlock('context', hold.context ?? null),
    ...(hold.preview?.own ? [] : valueBlock('on the basis of', namedBasis({ context: hold.context ?? null, ...hold }))),
    ...(hold.choices ? [{ type: 'choices' as const, choices: hold.choices }] : []),
    ...valueBlock('the answer must match', hold.response_schema ?? null),
    ...valueBlock('it printed on stdout', printed.stdout.trimEnd() || null),
    ...valueBlock('it printed on stderr', printed.stderr.trimEnd() || null),
  ]
}

/** The title of arguments, which go by their names. */
export const ARGUMENTS = 'with'

/** In characters of JSON. */
const LONGEST_GLANCE = 120

/** P9: an effect need not tell of each argument, so only long values and texts of several lines fold below it. */
function argumentBlocks(args: Json, hasEffect: boolean): Block[] {
  if (!hasEffect || !isJsonObject(args)) return valueBlock(ARGUMENTS, args)
  const isLong = (value: Json) =>
    (typeof value === 'string' && value.includes('\n')) || JSON.stringify(value).length > LONGEST_GLANCE
  const [long, short] = [true, false].map(is => Object.entries(args).filter(([, value]) => isLong(value) === is))
  return [short, long].flatMap(entries =>
    entries && entries.length > 0 ? valueBlock(ARGUMENTS, Object.fromEntries(entries), entries === long) : [],
  )
}

/** A text may say that only the arguments show all of it, and a link shows nothing by itself. */
function showsEffect(block: Block): boolean {
  return block.type === 'part' && ['diff', 'table', 'image'].includes(block.part.type)
}

const IN_DOUBT = 'Nobody knows what came of it: it may have happened, or not, or in part'

/** An act that reaches nothing that is known has its risk from its tool, or from a rule of policy. */
const HIGH_RISK = 'HIGH RISK: its tool or a rule of the policy says so'

function warningsOf(hold: Asked): Block[] {
  const { kind, overrides_never, risk, reaches = [] } = hold
  const isMarked = risk === 'high' && reaches.length === 0
  return [
    ...(overrides_never ? [{ type: 'warning' as const, tone: 'bad' as const, text: SAYS_NEVER }] : []),
    ...(kind === 'in_doubt' ? [{ type: 'warning' as const, tone: 'bad' as const, text: IN_DOUBT }] : []),
    ...(isMarked ? [{ type: 'warning' as const, tone: 'warn' as const, text: HIGH_RISK }] : []),
    ...reaches.map(reach => ({ type: 'warning' as const, tone: 'warn' as const, text: `It ${reach}` })),
    ...lookAlikesOf(hold).map(found => ({
      type: 'warning' as const,
      tone: 'warn' as const,
      text: lookAlikeText(found),
    })),
  ]
}

/** A question whose headline says all of it is not said twice. */
function proseOf(hold: Asked): Block[] {
  const { message, tool } = hold
  const isUsual = message === '' || message === usualMessage(tool ?? '')
  return isUsual || headline(hold) === message ? [] : [{ type: 'prose', text: message }]
}

/** The one argument that says what is done: a command. */
function commandOf(hold: Asked): Block[] {
  const text = commandText(hold)
  return text === null ? [] : [{ type: 'command', text, isSaid: headline(hold) === `Run ${text}` }]
}

function commandText({ kind, arguments: args }: Asked): string | null {
  if (kind === 'question' || !isJsonObject(args)) return null
  const { command } = args
  return typeof command === 'string' && command !== '' ? command : null
}

/** The arguments without the command; `null` if nothing is left, or the question says what they say. */
function argumentsLeft(hold: Asked): Json {
  const { kind, arguments: args } = hold
  if (kind === 'question') return null
  if (commandText(hold) === null) return args
  const { command: _, ...left } = args as JsonObject
  return Object.keys(left).length === 0 ? null : left
}

function partsOf({ parts, problem }: Preview): Block[] {
  if (problem !== null) return [{ type: 'remark', text: previewProblem(problem) }]
  return parts.map(part => ({ type: 'part', part }))
}

function valueBlock(title: string, value: Json, isFolded = false): Block[] {
  return value === null ? [] : [{ type: 'value', title, value, isFolded }]
}

/** The basis that a tool named for the decision; `null` if there is none, or the context is equal. */
function namedBasis({ basis = null, context }: Pick<Hold, 'basis' | 'context'>): Json {
  return basis === null || isSameJson(basis, context) ? null : basis
}
