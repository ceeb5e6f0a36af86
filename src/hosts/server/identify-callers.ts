import { RefusedError } from '../../core/errors.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { oneToken } from '../../protocols/http/one-token.ts'
import type { Tokens } from '../../runtime/face/tokens.ts'
import type { CommandContext } from '../command/command.ts'
import { ownSecret, SERVER_TOKEN } from '../listening/own-secret.ts'
import { actor } from '../process/actor.ts'
import { isLocal, type ServerSettings } from './server-settings.ts'

export interface Callers {
  readonly identify: Gate['identify']
  /** Where the token of the owner is; `null` if it does not count here. */
  readonly place: string | null
}

/**
 * On this machine the owner has a token of their own. If other machines reach the server, only tokens that were added
 * count: each has a name, a role and an end. @throws RefusedError `no_token`
 */
export async function identifyCallers(
  tokens: Tokens,
  settings: ServerSettings,
  { directory, env }: Pick<CommandContext, 'directory' | 'env'>,
): Promise<Callers> {
  const added: Gate['identify'] = async bearer => {
    const token = await tokens.identify(bearer)
    return token && { name: token.name, role: token.role }
  }
  if (!isLocal(settings)) {
    if ((await tokens.list()).length === 0) throw noToken()
    return { identify: added, place: null }
  }
  const { secret, place } = ownSecret(SERVER_TOKEN, directory, env)
  const owner = oneToken(secret, { name: actor(env), role: 'admin' })
  return { identify: async bearer => (await owner(bearer)) ?? added(bearer), place }
}

function noToken(): RefusedError {
  return new RefusedError('no_token', 'Other machines reach this server, and nobody has a token for it.', {
    hint: 'Add one with `holdpoint tokens add NAME --role decider`, then start it again.',
  })
}
