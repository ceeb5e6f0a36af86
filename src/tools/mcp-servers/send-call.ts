import type { Client, ElicitRequestParams, ElicitResult, ProgressNotification } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../core/text/json.ts'
import { type CallAnswer, DECLINED, type OpenInputs, pagesRequiredBy } from './elicitation.ts'
import type { LiveCall } from './live-call.ts'
import type { ListedTool } from './tool-list.ts'

export type { CallAnswer } from './elicitation.ts'

/** The longest time of a call, even if the server keeps reporting progress or asks people. */
const LONGEST_CALL_MS = 7 * 24 * 3_600_000

export interface CallRequest {
  readonly tool: ListedTool
  readonly args: JsonObject
  /** The answers of people to what the server asked for. */
  readonly inputs: OpenInputs | null
}

export type ProgressOf = ProgressNotification['params']

interface Open {
  readonly client: Client
  /** The calls under way, oldest first. */
  readonly calls: Set<LiveCall>
}

export async function sendCall(
  { client, calls }: Open,
  { tool, args, inputs }: CallRequest,
  call: LiveCall,
): Promise<CallAnswer> {
  const { name, inputSchema } = tool
  calls.add(call)
  call.showsLife()
  try {
    return await client.callTool(
      { name, arguments: { ...args }, _meta: { progressToken: call.token }, ...answering(inputs) },
      {
        signal: call.signal,
        timeout: LONGEST_CALL_MS,
        allowInputRequired: true,
        toolDefinition: { name, inputSchema: inputSchema as { type: 'object' } },
      },
    )
  } catch (thrown) {
    const pages = pagesRequiredBy(thrown)
    if (pages === null) throw thrown
    return pages
  } finally {
    calls.delete(call)
  }
}

/** Shows what a server reports of a call under way. */
export function progressed(calls: Iterable<LiveCall>, { progressToken, ...progress }: ProgressOf): void {
  for (const call of calls) if (call.token === progressToken) call.progress(progress)
}

/** A question of a server names no call: it is taken for one of the newest that asks nothing yet. */
export function elicited(calls: Iterable<LiveCall>, params: ElicitRequestParams): Promise<ElicitResult> | ElicitResult {
  const call = [...calls].findLast(({ isAsking }) => !isAsking)
  return call?.ask(params) ?? DECLINED
}

/** The answers of people, in the next round of a call that asked for them. */
function answering(inputs: OpenInputs | null): object {
  if (inputs === null || inputs.isAnew) return {}
  const { state, responses } = inputs
  return { inputResponses: responses, ...(state !== null && { requestState: state }) }
}
