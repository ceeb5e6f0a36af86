/** `--server`: finds out that the server is there, fits, and knows the token, before a command begins. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connectHoldpoint } from '../../client/connect-holdpoint.ts'
import { socketIn } from '../../client/reach/unix-fetch.ts'
import type { RemoteCaller, RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { ServerError } from '../../client/server-error.ts'
import type { ClientOptions } from '../../client/wire.ts'
import { RefusedError } from '../../core/errors.ts'
import type { CommandContext } from '../command/command.ts'
import { ownSecret, SERVER_TOKEN } from '../listening/own-secret.ts'
import { actor } from '../process/actor.ts'
import { agentAround } from '../process/agent-around.ts'
import { version } from '../process/version.ts'
import { projectDirectory } from '../project/project.ts'

const TOKEN_VARIABLE = 'HOLDPOINT_TOKEN'
/** A person waits at the terminal. */
const RETRIES = 2

/**
 * The context of a command over a server: what it tells is signed with the name of the token. @throws RefusedError;
 * then nothing was done
 */
export async function reachServer(context: CommandContext, url: string): Promise<CommandContext> {
  const { given, env } = context
  if (agentAround(env) !== null) throw withinAgent()
  if (given.has('advance')) throw advanceThere()
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
  if (!versionsFit(caller.version, version())) throw otherVersion(url, caller.version)
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
    return new RefusedError(
      'server_unreachable',
      `${thrown.message.replace(/ Nothing was done\.$/, '')} Nothing was done.`,
      {
        hint: `Look whether \`holdpoint serve\` runs there, and whether --server or HOLDPOINT_SERVER is right.`,
        cause: thrown,
      },
    )
  if (!(thrown instanceof RefusedError)) return thrown
  const code: string = thrown.code
  if (code === 'unknown_path') return otherVersion(url, 'an older one')
  return code === 'invalid_token' || code === 'token_missing' ? tokenRefused(url) : thrown
}

function addressIn(text: string, directory: string): string {
  const socket = socketIn(text)
  if (socket) return `unix:${resolve(directory, socket)}`
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.search === '') return url.href
  throw new RefusedError('invalid_arguments', `${JSON.stringify(text)} is not the address of a server.`, {
    hint: 'Write --server https://holds.example.com, or http://127.0.0.1:4747 or unix:PATH on this machine. A token goes into HOLDPOINT_TOKEN.',
  })
}

/** Only this user reaches a daemon's socket, so the owner's own token is meant if none is named. */
function tokenFor(address: string, { env, directory }: ServerPlace): string {
  const isNamed = Boolean(env[TOKEN_VARIABLE]?.trim())
  if (isNamed || socketIn(address) === null || !existsSync(join(projectDirectory(directory), SERVER_TOKEN.file)))
    return tokenIn(env)
  return ownSecret(SERVER_TOKEN, directory, env).secret
}

function tokenIn(env: CommandContext['env']): string {
  const token = env[TOKEN_VARIABLE]?.trim()
  if (!token)
    throw new RefusedError('no_server_token', 'A server wants to know who asks, and HOLDPOINT_TOKEN is not set.', {
      hint: 'Set it to your token: an admin makes one with `holdpoint tokens add`, and your own server keeps yours in .holdpoint/server-token.',
    })
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw tokenRefused('A server')
}

function tokenRefused(place: string): RefusedError {
  return new RefusedError('token_refused', `${place} does not know the token in HOLDPOINT_TOKEN. Nothing was done.`, {
    hint: 'It may have expired or been revoked, or be one of another server. `holdpoint tokens` lists them where the store is.',
  })
}

function otherVersion(url: string, there: string): RefusedError {
  return new RefusedError(
    'version_mismatch',
    `${url} has Holdpoint ${there}, and this is ${version()}: they may not understand each other. Nothing was done.`,
    { hint: 'Install the same version here and there.' },
  )
}

function withinAgent(): RefusedError {
  return new RefusedError(
    'agent_cannot_use_server',
    'An agent may not use a server: the token would sign as a person.',
    {
      hint: 'Have a person do it, in a terminal of their own.',
    },
  )
}

function advanceThere(): RefusedError {
  return new RefusedError('not_over_server', '--advance goes on with the run here, and the run is at a server.', {
    hint: 'Leave it out: a worker of the server goes on with the run.',
  })
}
