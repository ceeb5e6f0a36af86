/** The flags of `policy check` that name an effect in place of a call. */
import type { Flag } from '../../command/flags.ts'

export const EFFECT_FLAGS = ['write', 'delete', 'host'] as const

const path = { value: 'PATH', multiple: true } as const

export const EFFECT_HELP: readonly Flag[] = [
  { name: 'write', ...path, help: 'check: may a command in a box write this path unasked? (repeatable)' },
  { name: 'delete', ...path, help: 'check: may it delete this path? (repeatable)' },
  { name: 'host', value: 'HOST', multiple: true, help: 'check: may it connect to HOST or HOST:PORT? (repeatable)' },
]
