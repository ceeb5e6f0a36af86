import type { Problem } from '../http/problem.ts'

/** The code of all refusals that have none of their own. */
export const REFUSED = -32_000
const CODES: Readonly<Record<string, number>> = { not_json: -32_700, unknown_mcp_session: -32_001 }

/** A problem as a client of MCP expects it, also if no message could be read. */
export function jsonRpcRefusal({ status, code, detail, headers = {} }: Problem): Response {
  const error = { code: CODES[code] ?? REFUSED, message: detail }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
}
