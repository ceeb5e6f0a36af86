import { userInfo } from 'node:os'

/** Who decides on a command line: HOLDPOINT_ACTOR, or the user of the operating system. */
export function actor(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOLDPOINT_ACTOR'] || osUser() || 'unknown'
}

function osUser(): string | null {
  try {
    return userInfo().username
  } catch {
    // A container may run under an id that has no name.
    return null
  }
}
