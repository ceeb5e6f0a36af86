/** Reads `RunAgentInput`. History, tool results of ours and state in it are not read: the store has the truth. */
import type { ClientTool } from '../../core/run/client-tool.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Problem } from '../http/problem.ts'

/** The part of a request that counts. */
export interface RunInput {
  readonly threadId: string
  /** Names the answer, and nothing of ours: clients use one for several requests. */
  readonly runId: string
  /** `null`: a client from before 1.0. */
  readonly protocolVersion: string | null
  readonly messages: readonly PostedMessage[]
  /** The tools that the client runs itself. */
  readonly tools: readonly ClientTool[]
  readonly resume: readonly ResumeEntry[]
}

export interface PostedMessage {
  readonly id: string
  readonly role: string
  readonly content: Json
  /** `null` but for a message with a result. */
  readonly toolCallId: string | null
  /** `null` but for the result of a call that failed. */
  readonly error: string | null
}

/** An answer to one interrupt. */
export interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload: Json
}

const LONGEST_ID = 200
/** The limit in characters: the tools are kept with each run that is started with them. */
const MOST_OF_TOOLS = 65_536
const TOOL_NAME = /^[\w.-]{1,64}$/

const ID: JsonObject = { type: 'string', minLength: 1, maxLength: LONGEST_ID }

/** JSON Schema of the fields that are read of `RunAgentInput`; other fields are ignored. */
export const RUN_INPUT: JsonObject = {
  type: 'object',
  properties: {
    threadId: { ...ID, description: 'A name of the client’s own, or the id of a thread.' },
    runId: ID,
    protocolVersion: { type: ['string', 'null'], description: 'Left out by clients from before 1.0.' },
    messages: listed({ id: { type: 'string' }, role: { type: 'string' }, toolCallId: { type: 'string' } }, [
      'id',
      'role',
    ]),
    tools: listed({ name: { type: 'string' }, description: { type: 'string' }, parameters: { type: 'object' } }, [
      'name',
    ]),
    resume: listed({ interruptId: { type: 'string' }, status: { enum: ['resolved', 'cancelled'] }, payload: {} }, [
      ...['interruptId', 'status'],
    ]),
  },
  required: ['threadId', 'runId'],
}

function listed(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'array', items: { type: 'object', properties, required: [...required] } }
}

export function readRunInput(body: unknown): RunInput | Problem {
  const given = isJsonObject(body as Json) ? (body as JsonObject) : {}
  const fault = FAULTS.find(([isFine]) => !isFine(given))?.[1]
  if (fault !== undefined) return unfit(fault)
  const { threadId, runId, protocolVersion = null, messages, tools, resume } = given
  return {
    threadId: String(threadId),
    runId: String(runId),
    protocolVersion: protocolVersion === null ? null : String(protocolVersion),
    messages: objectsIn(messages).map(posted),
    // A tool that no model could call is not offered.
    tools: objectsIn(tools)
      .map(tool)
      .filter(({ name }) => TOOL_NAME.test(name)),
    resume: objectsIn(resume).map(entry),
  }
}

type Fault = readonly [isFine: (given: JsonObject) => boolean, problem: string]

const FAULTS: readonly Fault[] = [
  [({ threadId }) => isId(threadId), `threadId must be a text of 1 to ${LONGEST_ID} characters`],
  [({ runId }) => isId(runId), `runId must be a text of 1 to ${LONGEST_ID} characters`],
  [({ protocolVersion = null }) => protocolVersion === null || isId(protocolVersion), 'protocolVersion must be a text'],
  [({ messages }) => isListOf(messages, isPosted), 'messages must be a list of messages, each with id and role'],
  [
    ({ tools }) => isListOf(tools, isTool) && JSON.stringify(tools ?? null).length <= MOST_OF_TOOLS,
    `tools must be a list of { name, description, parameters }, at most ${MOST_OF_TOOLS} characters of JSON`,
  ],
  [({ resume }) => isListOf(resume, isEntry), 'resume must be a list of { interruptId, status, payload }'],
]

function isListOf(value: Json | undefined, fits: (item: JsonObject) => boolean): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) && value.every(item => isJsonObject(item) && fits(item))
}

function isPosted({ id, role, toolCallId = null, error = null }: JsonObject): boolean {
  return isText(id) && isText(role) && (toolCallId === null || isText(toolCallId)) && (error === null || isText(error))
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string'
}

function isTool({ name, description = '', parameters = {} }: JsonObject): boolean {
  return isText(name) && isText(description) && isJsonObject(parameters ?? {})
}

function isEntry({ interruptId, status }: JsonObject): boolean {
  return typeof interruptId === 'string' && (status === 'resolved' || status === 'cancelled')
}

function isId(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_ID
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list : []
}

function posted({ id, role, content = null, toolCallId = null, error = null }: JsonObject): PostedMessage {
  return { id: String(id), role: String(role), content, toolCallId: textOrNull(toolCallId), error: textOrNull(error) }
}

function textOrNull(value: Json): string | null {
  return value === null ? null : String(value)
}

function tool({ name, description = '', parameters = null }: JsonObject): ClientTool {
  const input_schema = { type: 'object', ...(isJsonObject(parameters) && parameters) }
  return { name: String(name), description: String(description), input_schema }
}

function entry({ interruptId, status, payload = null }: JsonObject): ResumeEntry {
  return { interruptId: String(interruptId), status: status === 'cancelled' ? 'cancelled' : 'resolved', payload }
}

function unfit(problem: string): Problem {
  return {
    status: 422,
    code: 'invalid_body',
    detail: `The body is no RunAgentInput: ${problem}. Nothing was done.`,
    hint: 'Send what `HttpAgent` of @ag-ui/client sends.',
  }
}
