import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { answerRequests } from '../../protocols/http/answer-requests.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { oneToken } from '../../protocols/http/one-token.ts'
import { MCP_PATH } from '../../protocols/mcp/mcp-http.ts'
import type { CommandContext } from '../command/command.ts'
import { actor } from '../process/actor.ts'
import { HTTP_PROTOCOLS } from './http-protocols.ts'
import type { McpSettings } from './mcp-settings.ts'
import { mcpToken, TOKEN_VARIABLE } from './mcp-token.ts'
import type { Serving } from './serving.ts'

type Address = NonNullable<McpSettings['http']>

/** Of all clients; each takes one for every answer that it waits for. */
const CONNECTIONS = 512
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** Answers every client that bears the token, until the server is to end. */
export async function serveHttp(
  serving: Serving,
  address: Address,
  { directory, env, io }: Pick<CommandContext, 'directory' | 'env' | 'io'>,
): Promise<void> {
  const { token, place } = mcpToken(directory, env)
  // Processes that are started here must not inherit the token.
  delete process.env[TOKEN_VARIABLE]
  const { onError, stopping } = serving.offer
  const gate: Gate = { ...namesOf(address), identify: oneToken(token, { name: actor(env) }) }
  const protocols = HTTP_PROTOCOLS.map(open => open(serving))
  const routes = protocols.flatMap(protocol => protocol.routes)
  const answer = answerRequests(routes, { gate, stopping, onError })
  const { getRequestListener } = await import('@hono/node-server')
  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }))
  server.maxConnections = CONNECTIONS
  const { port } = await listening(server, address)
  io.err(`${greeting(address, { port, place }).join('\n')}\n`)
  await serving.stopped
  // Answers are sent before their streams end.
  await setImmediate()
  await Promise.all(protocols.map(protocol => protocol.close?.()))
  await closed(server)
}

/** The address comes last: from then on it listens. */
function greeting(address: Address, { port, place }: { readonly port: number; readonly place: string }): string[] {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  const warning = `warning: ${address.host} can be reached from other machines, without encryption.`
  return [
    `clients send \`Authorization: Bearer TOKEN\`; the token is in ${place}`,
    ...(isLoopback(address) ? [] : [warning]),
    `listening on http://${host}:${port}${MCP_PATH}`,
  ].map(line => `holdpoint mcp: ${line}`)
}

function isLoopback({ host }: Address): boolean {
  return LOOPBACK.includes(host)
}

function namesOf(address: Address): Pick<Gate, 'hosts' | 'anyAddress'> {
  if (isLoopback(address)) return { hosts: [], anyAddress: false }
  return { hosts: [address.host.toLowerCase(), hostname().toLowerCase()], anyAddress: true }
}

/** @throws RefusedError `cannot_listen` */
async function listening(server: Server, { host, port }: Address): Promise<AddressInfo> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return server.address() as AddressInfo
  } catch (cause) {
    throw new RefusedError('cannot_listen', `Nothing can listen on ${host}:${port}: ${messageOf(cause)}.`, {
      hint: 'Choose another port with --port, or any free one with --port 0.',
      cause,
    })
  }
}

/** Answers are sent first. */
async function closed(server: Server): Promise<void> {
  const over = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await Promise.race([over, new Promise(resolve => setTimeout(resolve, FLUSH_MS).unref())])
  server.closeAllConnections()
}

const FLUSH_MS = 200
