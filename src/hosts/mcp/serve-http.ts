import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { Gate } from '../../protocols/mcp/http-guard.ts'
import { MCP_PATH, openMcpHttp } from '../../protocols/mcp/mcp-http.ts'
import { mcpServers } from '../../protocols/mcp/mcp-server.ts'
import type { CommandContext } from '../command/command.ts'
import type { McpSettings } from './mcp-settings.ts'
import { mcpToken, TOKEN_VARIABLE } from './mcp-token.ts'
import type { Serving } from './serving.ts'

type Address = NonNullable<McpSettings['http']>

const LIMITS = { sessions: 64, idleMs: 30 * 60 * 1000 }
/** Of all clients; each takes one for every answer that it waits for. */
const CONNECTIONS = 512
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** Any number of clients that bear the token, until this is to end. */
export async function serveHttp(
  { sdk, offer, stopped }: Serving,
  address: Address,
  { directory, env, io }: Pick<CommandContext, 'directory' | 'env' | 'io'>,
): Promise<void> {
  const { token, place } = mcpToken(directory, env)
  // What is started here must not find the key to what started it.
  delete process.env[TOKEN_VARIABLE]
  const { onError, stopping } = offer
  const mcp = openMcpHttp(sdk, mcpServers(sdk, offer), {
    gate: gateOf(address, token),
    limits: LIMITS,
    stopping,
    onError,
  })
  const { getRequestListener } = await import('@hono/node-server')
  const server = createServer(getRequestListener(request => mcp.answer(request), { overrideGlobalObjects: false }))
  server.maxConnections = CONNECTIONS
  const { port } = await listening(server, address)
  io.err(`${greeting(address, { port, place }).join('\n')}\n`)
  await stopped
  // What was answered is on its way before its streams are ended.
  await setImmediate()
  await mcp[Symbol.asyncDispose]()
  await closed(server)
}

/** Where it listens comes last: then it does. */
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

function gateOf(address: Address, token: string): Gate {
  if (isLoopback(address)) return { token, hosts: [], anyAddress: false }
  return { token, hosts: [address.host.toLowerCase(), hostname().toLowerCase()], anyAddress: true }
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

/** What was answered is sent first. */
async function closed(server: Server): Promise<void> {
  const over = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await Promise.race([over, new Promise(resolve => setTimeout(resolve, FLUSH_MS).unref())])
  server.closeAllConnections()
}

const FLUSH_MS = 200
