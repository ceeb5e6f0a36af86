/**
 * Reads the requests of tools' and plugins' code into a form that the journal takes. Each function @throws ToolError.
 */

import { ToolError } from '../../core/errors.ts'
import { RESUME_MODES } from '../../core/hold/hold.ts'
import { readDeciders } from '../../core/people/deciders.ts'
import { readDue } from '../../core/people/due.ts'
import { plain } from '../../core/plain/plain.ts'
import type { CallError } from '../../core/run/tool-call.ts'
import { isTooDeep, type Json } from '../../core/text/json.ts'
import type { RequestedCall } from '../../ports/agent/model.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'

/** A request that a person can answer. */
export function usableRequest(request: SuspendRequest): SuspendRequest {
  if (!isRecord(request)) throw unusable('it is no object')
  const problem = unknownField(request) ?? FAULTS.find(([isFine]) => !isFine(request))?.[1] ?? null
  if (problem !== null) throw unusable(problem)
  try {
    const { context = null, basis = null } = request
    return { ...request, context: plain(context), ...(basis !== null && { basis: plain(basis) }) }
  } catch {
    throw unusable('its context or its basis is no JSON')
  }
}

const KINDS: readonly unknown[] = ['approval', 'question', 'client_tool'] satisfies SuspendRequest['kind'][]
const MODES: readonly unknown[] = RESUME_MODES

// biome-ignore format: one field a line would hide that it is a list
const FIELDS: Record<keyof SuspendRequest, true> = {
  message: true, kind: true, context: true, basis: true, choices: true, responseSchema: true, resumeMode: true,
  dueAt: true, onDue: true, remindAt: true, assignee: true, escalation: true, finally: true, needsPerson: true, overridesNever: true,
  risk: true, deciders: true, preview: true,
}

function unknownField(request: SuspendRequest): string | null {
  const unknown = Object.keys(request).find(name => !Object.hasOwn(FIELDS, name))
  if (unknown === undefined) return null
  return `the request has a field ${JSON.stringify(unknown)}; known: ${Object.keys(FIELDS).join(', ')}`
}

type Fault = readonly [isFine: (request: SuspendRequest) => boolean, problem: string]

const FAULTS: readonly Fault[] = [
  [({ message }) => typeof message === 'string' && message.trim() !== '', 'it has no message'],
  [({ kind }) => kind === undefined || KINDS.includes(kind), `its kind is not one of ${KINDS.join(', ')}`],
  [({ choices }) => (choices ?? null) === null || isListOfTexts(choices), 'its choices are not a list of texts'],
  [
    ({ responseSchema }) => (responseSchema ?? null) === null || isRecord(responseSchema),
    'its responseSchema is no JSON Schema',
  ],
  [
    ({ resumeMode }) => resumeMode === undefined || MODES.includes(resumeMode),
    `its resumeMode is not one of ${MODES.join(', ')}`,
  ],
  [({ dueAt }) => (dueAt ?? null) === null || isTime(dueAt), 'its dueAt is no ISO time'],
  [
    ({ remindAt }) => remindAt === undefined || (Array.isArray(remindAt) && remindAt.every(isTime)),
    'its remindAt is no list of ISO times',
  ],
  [request => dueFault(request) === null, 'its onDue, assignee, escalation or finally cannot be understood'],
  [
    ({ deciders }) => (deciders ?? null) === null || isUnderstood(() => readDeciders(plain(deciders as Json))),
    'its deciders cannot be understood',
  ],
  [
    request => !isAnsweredByTime(request),
    'it asks for an answer, and no deadline gives one: neither onDue nor finally can be auto_approve',
  ],
  [
    ({ context, basis }) => !isTooDeep(context ?? null) && !isTooDeep(basis ?? null),
    'its context or its basis is nested too deeply',
  ],
]

/** True if the request asks for an answer, but lets time approve it. */
function isAnsweredByTime({ kind, choices, responseSchema, onDue, finally: last }: SuspendRequest): boolean {
  const asks = kind === undefined ? Boolean(choices || responseSchema) : kind !== 'approval'
  return asks && (onDue === 'auto_approve' || last === 'auto_approve')
}

/** Tools, agents and projects follow the same rules. */
function dueFault({ onDue, assignee, escalation, finally: last }: SuspendRequest): string | null {
  const settings = { on_due: onDue, assignee, escalation, finally: last }
  return isUnderstood(() => readDue(plain(settings as unknown as Json))) ? null : 'unusable'
}

function isUnderstood(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

export function usableError(error: CallError): CallError {
  if (isRecord(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string') return error
  throw new ToolError('INVALID_ERROR', 'an error of a call needs a code and a message, both texts.')
}

export function usableCalls(calls: readonly RequestedCall[]): readonly RequestedCall[] {
  if (!Array.isArray(calls) || !calls.every(isCall))
    throw new ToolError('INVALID_CALLS', 'calls must be a list of { id, name, arguments }, each a text.')
  return calls.map(call => ({ ...call, metadata: plain(call.metadata ?? null) }))
}

/** True if the model's request for a call has the right shape. */
export function isCall(call: RequestedCall): boolean {
  return isRecord(call) && [call.id, call.name, call.arguments].every(part => typeof part === 'string')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'string')
}

function unusable(problem: string): ToolError {
  return new ToolError('INVALID_REQUEST', `people cannot be asked: ${problem}.`)
}
