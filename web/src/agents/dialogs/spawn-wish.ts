/** The fields of the form for a new agent, and the field to which a refusal belongs. */
import { ProblemError, wordsOf } from '../../api/problem.ts'

export interface SpawnWish {
  readonly input: string
  /** Empty: the usual one. */
  readonly agent: string
  readonly name: string
  readonly isInteractive: boolean
  /** Seconds, as they were typed. Empty: the default of the agent or the project. */
  readonly idleTimeout: string
  /** Empty: the default of the agent or the project. */
  readonly onIdle: string
  readonly worktree: boolean
}

export const NO_WISH: SpawnWish = {
  ...{ input: '', agent: '', name: '', isInteractive: true, idleTimeout: '', onIdle: '', worktree: false },
}

/** The body of the request. A number that is none is sent as it was written, and refused by name. */
export function spawnBody({ input, agent, name, isInteractive, idleTimeout, onIdle, worktree }: SpawnWish): object {
  const seconds = idleTimeout.trim()
  return {
    input: input.trim(),
    interactive: isInteractive,
    ...(agent !== '' && { agent }),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(isInteractive && seconds !== '' && { idle_timeout: /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) : seconds }),
    ...(isInteractive && onIdle !== '' && { on_idle: onIdle }),
    ...(worktree && { worktree }),
  }
}

export type SpawnFault = { readonly [K in keyof SpawnWish]?: string }

const FIELD_OF_KEY: Readonly<Record<string, keyof SpawnWish>> = {
  ...{ input: 'input', agent: 'agent', name: 'name', worktree: 'worktree' },
  ...{ interactive: 'isInteractive', idle_timeout: 'idleTimeout', on_idle: 'onIdle' },
}

const FIELD_OF_CODE: Readonly<Record<string, keyof SpawnWish>> = {
  ...{ unknown_agent: 'agent', name_taken: 'name', worktree_exists: 'name' },
  ...{ no_repository: 'worktree', git_failed: 'worktree', unusable_directory: 'worktree' },
}

/** Messages of the server by field. A message about no field is shown at the first one. */
export function spawnFault(thrown: unknown): SpawnFault {
  if (!(thrown instanceof ProblemError)) return { input: wordsOf(thrown) }
  const { code, errors, details } = thrown.problem as ProblemError['problem'] & { details?: { field?: string } }
  const told = errors?.flatMap(({ path, message }) => {
    const field = FIELD_OF_KEY[path.replace(/^body\./, '')]
    return field === undefined ? [] : [[field, `It ${message.replace(/, not a string$/, '')}.`] as const]
  })
  if (told && told.length > 0) return Object.fromEntries(told)
  const field = FIELD_OF_KEY[details?.field ?? ''] ?? FIELD_OF_CODE[code] ?? 'input'
  return { [field]: wordsOf(thrown) }
}
