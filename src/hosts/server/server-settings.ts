import { RefusedError } from '../../core/errors.ts'
import type { Given } from '../command/flags.ts'
import { type Address, isLoopback } from '../listening/listen.ts'
import { portIn } from '../listening/port-in.ts'

export interface ServerSettings {
  readonly address: Address
  /** Whether it also advances runs. */
  readonly works: boolean
}

const USUAL_HOST = '127.0.0.1'
const USUAL_PORT = 4747

/** @throws RefusedError `invalid_arguments`, or `unsafe_address` */
export function readServerSettings(given: Given): ServerSettings {
  if (given.words.length > 0)
    throw new RefusedError(
      'invalid_arguments',
      `serve takes no words, but was given ${JSON.stringify(given.words.join(' '))}.`,
      { hint: 'See `holdpoint serve --help`.' },
    )
  const address = { host: given.value('host') ?? USUAL_HOST, port: portIn(given, USUAL_PORT) }
  if (!isLoopback(address)) throw unsafe(address)
  return { address, works: !given.has('no-work') }
}

function unsafe({ host }: Address): RefusedError {
  return new RefusedError('unsafe_address', `Other machines reach ${host}, and they would send tokens unencrypted.`, {
    hint: 'Leave out --host, and put a proxy with TLS in front of this server.',
  })
}
