/** `--server`: finds out that the server is there, fits, and knows the token, before a command begins. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { connectHoldpoint } from '../../client/connect-holdpoint.ts'
import { socketIn } from '../../client/reach/unix-fetch.ts'
import type { RemoteCaller, RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { ServerError } from '../../client/server-error.ts'
import type { ClientOptions } from '../../client/wire.ts'
import { RefusedError } from '../../core/errors.ts'
import type { CommandContext } from '../command/command.ts'
import { ownSecret, SERVER_TOKEN, secretFile } from '../listening/own-secret.ts'
import { actor } from '../process/actor.ts'
import { refuseAgent } from '../process/lineage/refuse-agent.ts'
import { version } from '../process/version.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'

const TOKEN_VARIABLE = 'HOLDPOINT_TOKEN'
/** A person waits at the terminal. */
const RETRIES = 2

/**
 * The context of a command over a server: what it tells is signed with the name of the token. @throws RefusedError;
 * then nothing was done
 */
export async function reachServer(context: CommandContext, url: string): Promise<CommandContext> {
  const { given, env } = context
  refuseAgent(env, serverRefusals.withinAgent)
  if (given.has('advance')) throw serverRefusals.advanceThere()
  const remote = connectServer(url, context)
  const { name } = await callerAt(remote, url)
  return { ...context, server: remote, env: { ...env, HOLDPOINT_ACTOR: name } }
}

type ServerPlace = Pick<CommandContext, 'env' | 'directory'>

/** Nothing is sent yet. @throws RefusedError */
export function connectServer(
  url: string,
  place: ServerPlace,
  more: Pick<ClientOptions, 'fetch' | 'retries'> = {},
): RemoteHoldpoint {
  const plainHttpTo = place.env['HOLDPOINT_PLAIN_HTTP_TO']?.trim()
  const address = addressIn(url, place.directory)
  return connectHoldpoint({
    ...{ url: address, token: tokenFor(address, place), actor: actor(place.env), retries: RETRIES, ...more },
    ...(plainHttpTo && { plainHttpTo }),
  })
}

async function callerAt(remote: RemoteHoldpoint, url: string): Promise<RemoteCaller> {
  const caller = await remote.me().catch((thrown: unknown) => {
    throw refusalOf(thrown, url)
  })
  if (!versionsFit(caller.version, version())) throw serverRefusals.otherVersion(url, caller.version, version())
  return caller
}

/** Versions of one major number understand each other; before 1.0, of one minor number. */
export function versionsFit(one: string, other: string): boolean {
  return lineOf(one) === lineOf(other)
}

function lineOf(text: string): string {
  const [major = '', minor = ''] = text.split('.')
  return major === '0' ? `0.${minor}` : major
}

function refusalOf(thrown: unknown, url: string): unknown {
  if (thrown instanceof ServerError)
    return serverRefusals.serverUnreachable(thrown.message.replace(/ Nothing was done\.$/, ''), thrown)
  if (!(thrown instanceof RefusedError)) return thrown
  const code: string = thrown.code
  if (code === 'unknown_path') return serverRefusals.otherVersion(url, 'an older one', version())
  return code === 'invalid_token' || code === 'token_missing' ? serverRefusals.tokenRefused(url) : thrown
}

function addressIn(text: string, directory: string): string {
  const socket = socketIn(text)
  if (socket) return `unix:${resolve(directory, socket)}`
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.search === '') return url.href
  throw serverRefusals.invalidAddress(text)
}

/** Only this user reaches a daemon's socket, so the owner's own token is meant if none is named. */
function tokenFor(address: string, { env, directory }: ServerPlace): string {
  const isNamed = Boolean(env[TOKEN_VARIABLE]?.trim())
  if (isNamed || socketIn(address) === null || !existsSync(secretFile(SERVER_TOKEN, directory, env)))
    return tokenIn(env)
  return ownSecret(SERVER_TOKEN, directory, env).secret
}

function tokenIn(env: CommandContext['env']): string {
  const token = env[TOKEN_VARIABLE]?.trim()
  if (!token) throw serverRefusals.noServerToken()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw serverRefusals.tokenRefused('A server')
}
