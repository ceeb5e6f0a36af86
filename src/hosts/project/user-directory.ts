import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** A user's own directory: `$XDG_CONFIG_HOME/holdpoint`, or `~/.config/holdpoint`. It need not exist. */
export function userDirectory(env: Environment): string {
  return directoryIn(env, 'XDG_CONFIG_HOME', '.config')
}

/**
 * The directory for state of a user between commands: `$XDG_STATE_HOME/holdpoint`, or `~/.local/state/holdpoint`. It
 * need not exist.
 */
export function userStateDirectory(env: Environment): string {
  return directoryIn(env, 'XDG_STATE_HOME', '.local/state')
}

function directoryIn(env: Environment, variable: string, usual: string): string {
  const named = env[variable]
  return join(named && isAbsolute(named) ? named : join(homeOf(env), usual), 'holdpoint')
}

export function homeOf(env: Environment): string {
  return env['HOME'] || homeOfUser()
}

/** A container may run under an id that has neither a name nor a home: then there are no settings of a user. */
function homeOfUser(): string {
  try {
    return homedir()
  } catch {
    return '/nonexistent'
  }
}
