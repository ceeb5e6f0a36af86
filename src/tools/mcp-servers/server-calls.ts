/**
 * The calls of one server. A server that asks people makes the call wait for them: as long as the connection lives, or over
 * restarts if it speaks `input_required`. P3: a call whose connection is gone while people were asked is in doubt.
 */
import type { CallToolResult, ElicitRequestParams, InputRequiredResult } from '@modelcontextprotocol/client'
import { ToolError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { ToolContext } from '../../ports/agent/tool.ts'
import {
  answerFrom,
  asBasis,
  type CallAnswer,
  DECLINED,
  type OpenInputs,
  openInputsIn,
  PagesRequired,
  questionOf,
  withAnswer,
} from './elicitation.ts'
import { LiveCall } from './live-call.ts'
import type { CallRequest } from './send-call.ts'
import type { ListedTool } from './tool-list.ts'

export type CallContext = Pick<
  ToolContext,
  'abortSignal' | 'idempotencyKey' | 'suspended' | 'mayAsk' | 'suspend' | 'warn' | 'report'
>

/** The connection to the server. */
interface Connection {
  readonly name: string
  /** How long a call may take without a sign of life. */
  readonly timeoutMs: number
  /** @throws ToolError; it states whether the call may have taken effect. */
  request(request: CallRequest, call: LiveCall): Promise<CallAnswer>
}

export interface Called {
  readonly tool: ListedTool
  readonly args: JsonObject
  /** True if to make the call twice is harmless. */
  readonly isRepeatable: boolean
}

/** More rounds of questions than any call needs. */
const MOST_ROUNDS = 20

export class ServerCalls {
  readonly #connection: Connection
  /** Calls that wait for people, by idempotency key. */
  readonly #waiting = new Map<string, LiveCall>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @throws ToolError; it states whether the call may have taken effect. */
  async call(called: Called, context: CallContext): Promise<CallToolResult> {
    if (context.abortSignal.aborted)
      throw new ToolError('TOOL_CALL_NOT_BEGUN', 'The call was stopped before it began. It had no effect.')
    const waiting = this.#waiting.get(context.idempotencyKey) ?? null
    this.#waiting.delete(context.idempotencyKey)
    const { suspended } = context
    if (suspended === null) {
      waiting?.stop()
      return this.#begin(called, context, null)
    }
    const answer = answerFrom(suspended.decision)
    waiting?.answer(answer)
    const inputs = openInputsIn(suspended.basis)
    if (!waiting && !inputs && !called.isRepeatable) throw inDoubt(this.#connection.name)
    return this.#begin(called, context, inputs && withAnswer(inputs, answer), waiting)
  }

  /** Makes the call, or goes on with one, as often as its server asks for more. */
  async #begin(
    called: Called,
    context: CallContext,
    open: OpenInputs | null,
    waiting: LiveCall | null = null,
  ): Promise<CallToolResult> {
    let inputs = open
    let live = waiting
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (inputs) inputs = this.#answered(inputs, context)
      live ??= this.#made(called, inputs)
      const result = await this.#ended(live, context)
      if (result instanceof PagesRequired) inputs = result.inputs
      else if (isInputRequired(result)) inputs = openInputs(result)
      else return result
      live = null
    }
    throw new ToolError(
      'MCP_CALL_FAILED',
      `The MCP server ${this.#connection.name} asked ${MOST_ROUNDS} times for more.`,
    )
  }

  #made({ tool, args }: Called, inputs: OpenInputs | null): LiveCall {
    const live = new LiveCall(this.#connection.timeoutMs)
    live.begin(this.#connection.request({ tool, args, inputs }, live))
    return live
  }

  /** While people are asked, the call waits here, and its tool is suspended. */
  async #ended(live: LiveCall, context: CallContext): Promise<CallAnswer> {
    for (;;) {
      const event = await live.next(context.abortSignal, context.report)
      if (event.type === 'ended') return event.result
      const question = this.#question(event.params, context)
      if (question) {
        this.#waiting.set(context.idempotencyKey, live)
        context.suspend(question)
      }
      live.answer(DECLINED)
    }
  }

  /** Each request has its answer. People are asked about one at a time. */
  #answered(open: OpenInputs, context: CallContext): OpenInputs {
    let inputs = open
    this.#refuseUnopened(inputs)
    for (const [asked, request] of Object.entries(open.requests)) {
      if (Object.hasOwn(inputs.responses, asked)) continue
      if (request['method'] !== 'elicitation/create')
        throw new ToolError(
          'MCP_CALL_FAILED',
          `The MCP server ${this.#connection.name} asks for ${JSON.stringify(request['method'])}, which is not offered.`,
        )
      const question = this.#question(request['params'] as unknown as ElicitRequestParams, context)
      if (question) context.suspend({ ...question, basis: asBasis({ ...inputs, asked }) })
      inputs = withAnswer({ ...inputs, asked }, DECLINED)
    }
    this.#refuseUnopened(inputs)
    return inputs
  }

  /** One page that nobody opens is enough: the others are not asked for. */
  #refuseUnopened({ isAnew, responses }: OpenInputs): void {
    const isOpened = Object.values(responses).every(({ action }) => action === 'accept')
    if (isAnew && !isOpened) throw notOpened(this.#connection.name)
  }

  /** `null` if nobody can be asked: then it is declined, with a warning. */
  #question(params: ElicitRequestParams, { mayAsk, warn }: CallContext): SuspendRequest | null {
    const { name } = this.#connection
    const question = questionOf(name, params)
    if (question && mayAsk) return question
    const why = question ? 'this run asks nobody' : 'its address is none of the web'
    warn(`The MCP server ${name} asked people, and ${why}, so it was declined: ${params.message}`)
    return null
  }
}

function isInputRequired(result: CallToolResult | InputRequiredResult): result is InputRequiredResult {
  return 'resultType' in result && result.resultType === 'input_required'
}

function openInputs({ requestState, inputRequests }: InputRequiredResult): OpenInputs {
  const requests = (inputRequests ?? {}) as unknown as OpenInputs['requests']
  return { state: requestState ?? null, requests, responses: {}, asked: null }
}

function notOpened(server: string): ToolError {
  return new ToolError(
    'MCP_CALL_FAILED',
    `The MCP server ${server} refused the call until a page is opened, and nobody opened it. The call had no effect.`,
  )
}

function inDoubt(server: string): ToolError {
  return new ToolError(
    'TOOL_CALL_IN_DOUBT',
    `its MCP server ${server} asked people over a connection that ended before they answered`,
  )
}
