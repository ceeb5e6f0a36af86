import { argumentRefusals } from '../refusals/argument-refusals.ts'
import type { Command } from './command.ts'
import type { Given } from './flags.ts'

export const SERVER_VARIABLE = 'HOLDPOINT_SERVER'

type Environment = Readonly<Record<string, string | undefined>>

/** A command that keeps to a store: what it does is not offered to callers of a server. */
interface StoreCommand extends Pick<Command, 'name' | 'flags' | 'group'> {}

/**
 * The server whose holds and runs a command is about: the flag, then the environment. `null` for the store here, which a
 * `--store` names too. @throws RefusedError `invalid_arguments`, or `not_over_server` for a command that takes no server
 */
export function namedServer(command: StoreCommand, given: Given, env: Environment): string | null {
  const flag = given.value('server')
  const store = given.value('store')
  if (flag !== null && store !== null) throw argumentRefusals.serverAndStore()
  const inherited = store === null ? env[SERVER_VARIABLE] || null : null
  const takes = (name: string) => command.flags.some(known => known.name === name)
  if (takes('server')) return flag ?? inherited
  // A command that serves starts beside its store, even if its user looks at another server meanwhile.
  if (inherited !== null && takes('store') && command.group !== 'serve')
    throw argumentRefusals.storeAlone(command.name, SERVER_VARIABLE)
  return null
}

/** Before the flags are read: an unknown option would be told without the reason. @throws RefusedError `not_over_server` */
export function refuseServerFlag(what: string, flags: Command['flags'], args: readonly string[]): void {
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  const isGiven = own.some(arg => arg === '--server' || arg.startsWith('--server='))
  if (isGiven && !flags.some(({ name }) => name === 'server')) throw argumentRefusals.storeAlone(what, '--server')
}
