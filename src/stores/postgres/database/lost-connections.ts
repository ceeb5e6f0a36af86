import { HoldpointError } from '../../../core/errors.ts'

/** Codes and words of Node, pg and PostgreSQL if there is no connection, or none any more. */
const CODES =
  /^(08|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/
const WORDS =
  /^(connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|client was closed|query read timeout|timeout expired)/i
/** The statement took too long, or waited too long for a lock: PostgreSQL undid it. */
const HELD_UP = /^(55P03|57014)/
/** The server is there, and takes no connection at the moment. */
const FULL_OR_STARTING = /^(57P03|53300)/

/** True if the database may be reached a moment later. */
export function isUnreachable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  return 'code' in thrown && typeof thrown.code === 'string' ? CODES.test(thrown.code) : WORDS.test(thrown.message)
}

/** True if a read or a transaction may do better a moment later. Neither has changed anything. */
export function isPassing(thrown: unknown): boolean {
  return isUnreachable(thrown) || hasCode(thrown, HELD_UP)
}

/** True if a server answers that it is full or starting. If none answers, the caller hears it at once. */
export function isFullOrStarting(thrown: unknown): boolean {
  return hasCode(thrown, FULL_OR_STARTING) || hasCode(thrown, HELD_UP)
}

/**
 * True if a connection serves on after this. An error of pg itself may have left a statement unsent. Each answer
 * would then be taken for that of the statement before it.
 */
export function servesOn(thrown: unknown): boolean {
  const isOfServer = thrown instanceof Error && 'severity' in thrown
  return (isOfServer || thrown instanceof HoldpointError) && !isUnreachable(thrown)
}

function hasCode(thrown: unknown, codes: RegExp): boolean {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && codes.test(thrown.code)
}
