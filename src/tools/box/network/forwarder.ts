import { existsSync } from 'node:fs'
import { NODE_FORWARDER, PERL_FORWARDER } from './forwarder-scripts.ts'

export interface ForwarderOptions {
  /** On the loopback of the box. */
  readonly port: number
  /** The socket of the proxy, as the box sees it. */
  readonly socketPath: string
  /** Where Perl is, `null` to do without; looked for if it is left out. */
  readonly perl?: string | null | undefined
}

const PERL = '/usr/bin/perl'

/**
 * A command that runs `argv` with a port of the loopback that leads to the proxy. It listens before `argv` begins, so
 * nothing has to be waited for. It exits with 125, and runs nothing, if the port is taken.
 */
export function forwarder(argv: readonly string[], options: ForwarderOptions): readonly string[] {
  const { port, socketPath, perl = existsSync(PERL) ? PERL : null } = options
  const rest = [String(port), socketPath, ...argv]
  return perl === null
    ? [process.execPath, '-e', NODE_FORWARDER, '--', ...rest]
    : [perl, '-e', PERL_FORWARDER, '--', ...rest]
}
