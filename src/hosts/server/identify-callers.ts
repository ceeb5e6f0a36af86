import { RefusedError } from '../../core/errors.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { oneToken } from '../../protocols/http/one-token.ts'
import { SURFACE } from '../../protocols/rest/route/rest-route.ts'
import type { SignIn } from '../../protocols/rest/route/sign-in.ts'
import { Sessions } from '../../runtime/access/sessions.ts'
import type { CommandContext } from '../command/command.ts'
import type { App } from '../compose/compose.ts'
import { ownSecret, SERVER_TOKEN } from '../listening/own-secret.ts'
import { actor } from '../process/actor.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { isEncrypted, isLocal, type ServerSettings } from './server-settings.ts'

export interface Callers {
  readonly gate: Pick<Gate, 'identify' | 'cookies' | 'assertionHeader'>
  readonly signIn: SignIn
  /** Where the token of the owner is; `null` if it does not count here. */
  readonly place: string | null
  /** Of the token of the owner, by which `holdpoint inbox` signs the owner in; `null` if it does not count here. */
  readonly ownerDigest: string | null
}

/**
 * On this machine the owner has a token of their own. If other machines reach the server, only tokens that were added
 * count: each has a name, a role and an end. @throws RefusedError `no_token`
 */
export async function identifyCallers(
  { holdpoint, store }: Pick<App, 'holdpoint' | 'store'>,
  settings: ServerSettings,
  { directory, env }: Pick<CommandContext, 'directory' | 'env'>,
): Promise<Callers> {
  const { tokens } = holdpoint
  if (!isLocal(settings) && (await tokens.list()).length === 0) throw noToken()
  const own = isLocal(settings) ? ownSecret(SERVER_TOKEN, directory, env) : null
  const owner = { name: actor(env), role: 'admin' } as const
  const ownToken = own && oneToken(own.secret, owner)
  const sessions = new Sessions({ store, ids: systemIds, clock: systemClock, ownerSecret: own?.secret ?? null })
  const cookies = isEncrypted(settings) ? 'secure' : 'plain'
  return {
    gate: {
      cookies,
      identify: async proof => {
        if (proof.kind === 'session') return sessions.identify(proof.text)
        if (proof.kind === 'assertion') return null
        return (await ownToken?.(proof)) ?? tokens.identify(proof.text)
      },
    },
    signIn: {
      cookies,
      ways: [{ kind: 'token' }],
      byToken: async token => {
        if (!(await ownToken?.({ kind: 'token', text: token }))) return sessions.openByToken(token, SURFACE)
        const proof = { kind: 'owner', digest: systemIds.digest(token) } as const
        return sessions.open({ ...owner, groups: [], proof }, SURFACE)
      },
      byLink: link => sessions.redeem(link, SURFACE),
      find: secret => sessions.identify(secret),
      end: session => sessions.end(session, SURFACE),
      endAll: async name => {
        await sessions.endAll(name, { by: name, surface: SURFACE })
      },
    },
    place: own?.place ?? null,
    ownerDigest: own && systemIds.digest(own.secret),
  }
}

function noToken(): RefusedError {
  return new RefusedError('no_token', 'Other machines reach this server, and nobody has a token for it.', {
    hint: 'Add one with `holdpoint tokens add NAME --role decider`, then start it again.',
  })
}
