import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** A user's own directory: `$XDG_CONFIG_HOME/holdpoint`, or `~/.config/holdpoint`. It need not exist. */
export function userDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['XDG_CONFIG_HOME']
  const home = named && isAbsolute(named) ? named : join(env['HOME'] || homedir(), '.config')
  return join(home, 'holdpoint')
}
