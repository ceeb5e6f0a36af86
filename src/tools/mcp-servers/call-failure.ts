import type { Transport } from '@modelcontextprotocol/client'
import { ToolError } from '../../core/errors.ts'
import { BROKEN_OFF } from './web-transport.ts'

/** How a call can end without a result. */
export type CallEnd = 'stopped' | 'answered' | 'timed_out' | 'unreadable' | 'lost'

/** Classifies what the SDK throws; any other failure on the way is a loss of the server. */
export async function endOf(thrown: unknown, isLost: boolean): Promise<CallEnd> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  if (isLost) return 'lost'
  if (thrown instanceof ProtocolError) return thrown.code === BROKEN_OFF ? 'lost' : 'answered'
  const code = thrown instanceof SdkError ? thrown.code : null
  if (code === SdkErrorCode.RequestTimeout) return 'timed_out'
  const isOdd = [SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType].some(odd => odd === code)
  return isOdd ? 'unreadable' : 'lost'
}

/**
 * How a request ended that was made in a session which the server does not know any more. The protocol's answer to that is
 * 404, and it says that nothing ran; some servers answer 400, with words about the session.
 */
export async function lostSession(
  thrown: unknown,
  transport: Transport | undefined,
): Promise<'unmade' | 'lost' | null> {
  const { SdkHttpError } = await import('@modelcontextprotocol/client')
  if (!(thrown instanceof SdkHttpError) || transport?.sessionId === undefined) return null
  const text = String(thrown.data['text'] ?? '')
  const isAboutSession = /session/i.test(text)
  // A page comes from a proxy in between, or from another program.
  if (thrown.status === 404) return isAboutSession || !/^\s*</.test(text) ? 'unmade' : null
  return thrown.status === 400 && isAboutSession ? 'lost' : null
}

interface Told {
  readonly name: string
  readonly message: string
  readonly seconds: number
}

/** P3: our process lives, the answer was lost, and nothing here can determine the outcome. */
const UNKNOWN = 'Nobody knows whether it took effect (OUTCOME_UNKNOWN): find out before it is tried again.'

const ERRORS: Record<CallEnd, (told: Told) => ToolError> = {
  stopped: ({ name }) =>
    new ToolError('TOOL_CALL_INTERRUPTED', `The call was stopped, and the MCP server ${name} was told so. ${UNKNOWN}`),
  answered: ({ name, message }) =>
    new ToolError('MCP_CALL_FAILED', `The MCP server ${name} answered with an error: ${message}`),
  timed_out: ({ name, seconds }) =>
    new ToolError(
      'MCP_CALL_TIMED_OUT',
      `The MCP server ${name} did not answer within ${seconds} seconds, and was told to stop. ${UNKNOWN}`,
    ),
  unreadable: ({ name, message }) =>
    new ToolError(
      'MCP_ANSWER_UNREADABLE',
      `What the MCP server ${name} answered is no result: ${message}. The call may have taken effect.`,
    ),
  lost: ({ name, message }) =>
    new ToolError(
      'MCP_SERVER_LOST',
      `The MCP server ${name} was lost while the call was under way. ${UNKNOWN} ${message}`,
    ),
}

export function failedCall(end: CallEnd, told: Told): ToolError {
  return ERRORS[end](told)
}
