import { setImmediate } from 'node:timers/promises'
import { answerRequests } from '../../protocols/http/answer-requests.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { oneToken } from '../../protocols/http/one-token.ts'
import { MCP_PATH } from '../../protocols/mcp/mcp-http.ts'
import type { CommandContext } from '../command/command.ts'
import { type Address, isLoopback, listen, namesOf } from '../listening/listen.ts'
import { MCP_TOKEN, ownSecret } from '../listening/own-secret.ts'
import { offeredMcp } from '../offering/offered-mcp.ts'
import { actor } from '../process/actor.ts'
import type { Serving } from './serving.ts'

/** Answers every client that bears the token, until the server is to end. */
export async function serveHttp(
  serving: Serving,
  address: Address,
  { directory, env, io }: Pick<CommandContext, 'directory' | 'env' | 'io'>,
): Promise<void> {
  const { secret, place } = ownSecret(MCP_TOKEN, directory, env)
  // Processes that are started here must not inherit the token.
  delete process.env[MCP_TOKEN.variable]
  const { onError, stopping } = serving.offer
  const gate: Gate = { ...namesOf(address), identify: oneToken(secret, { name: actor(env), role: 'admin' }) }
  const protocol = offeredMcp(async () => serving.offer, onError)
  const answer = answerRequests(protocol.routes, { gate, stopping, onError })
  const server = await listen(answer, address)
  io.err(`${greeting(address, { url: server.url, place }).join('\n')}\n`)
  await serving.stopped
  // Answers are sent before their streams end.
  await setImmediate()
  await protocol.close?.()
  await server.close()
}

/** The address comes last: from then on it listens. */
function greeting(address: Address, { url, place }: { readonly url: string; readonly place: string }): string[] {
  const warning = `warning: ${address.host} can be reached from other machines, without encryption.`
  return [
    `clients send \`Authorization: Bearer TOKEN\`; the token is in ${place}`,
    ...(isLoopback(address) ? [] : [warning]),
    `listening on ${url}${MCP_PATH}`,
  ].map(line => `holdpoint mcp: ${line}`)
}
