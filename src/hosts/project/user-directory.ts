import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** A user's own directory: `$XDG_CONFIG_HOME/holdpoint`, or `~/.config/holdpoint`. It need not exist. */
export function userDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['XDG_CONFIG_HOME']
  const home = named && isAbsolute(named) ? named : join(env['HOME'] || homeOfUser(), '.config')
  return join(home, 'holdpoint')
}

/** A container may run under an id that has neither a name nor a home: then there are no settings of a user. */
function homeOfUser(): string {
  try {
    return homedir()
  } catch {
    return '/nonexistent'
  }
}
