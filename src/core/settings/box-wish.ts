import type { Count } from '../count.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

/** @pattern \S */
type BoxPath = string

/** What a project says of the boxes of its commands, in addition to what each box has. */
export interface BoxWish {
  /** `off`: no command runs in a box. `require`: where there is no box, commands fail. Default: `auto`. */
  readonly use: 'auto' | 'off' | 'require'
  /** Toolchains that commands may read and run: absolute paths, or relative to the home directory. */
  readonly home: readonly BoxPath[]
  /** Caches that commands may fill; what they write is thrown away. */
  readonly caches: readonly BoxPath[]
  /** Files and directories that no command sees. */
  readonly keys: readonly BoxPath[]
  readonly limits: BoxLimitsWish
}

export interface BoxLimitsWish {
  /** At once. Default: 512. */
  readonly processes?: Count
  /** Bytes of one file. Default: 2 GB. */
  readonly file_bytes?: Count
  /** Bytes of all that a command writes. Default: 5 GB. */
  readonly written_bytes?: Count
  /** Files that a command writes. Default: 100,000. */
  readonly written_files?: Count
}

const USES = ['auto', 'off', 'require'] as const
const PATHS = ['home', 'caches', 'keys'] as const
const LIMITS = ['processes', 'file_bytes', 'written_bytes', 'written_files'] as const
const KEYS: readonly string[] = ['use', ...PATHS, 'limits']

export const NO_BOX_WISH: BoxWish = { use: 'auto', home: [], caches: [], keys: [], limits: {} }

/** @throws Error that names the fault. */
export function readBoxWish(written: Json): BoxWish {
  const box = objectAt(written, 'box', KEYS)
  const { use = 'auto' } = box
  if (!USES.some(known => known === use)) throw new Error(`box.use must be one of ${USES.join(', ')}`)
  const [home, caches, keys] = PATHS.map(key => pathsAt(box[key] ?? [], `box.${key}`))
  return {
    ...NO_BOX_WISH,
    use: use as BoxWish['use'],
    home,
    caches,
    keys,
    limits: limitsAt(box['limits'] ?? {}),
  } as BoxWish
}

function pathsAt(value: Json, place: string): readonly string[] {
  if (Array.isArray(value) && value.every(path => typeof path === 'string' && path.trim() !== ''))
    return value as string[]
  throw new Error(`${place} must be a list of paths`)
}

function limitsAt(value: Json): BoxLimitsWish {
  const limits = objectAt(value, 'box.limits', LIMITS)
  for (const [key, limit] of Object.entries(limits))
    if (!Number.isSafeInteger(limit) || Number(limit) < 1)
      throw new Error(`box.limits.${key} must be a whole number from 1`)
  return limits as BoxLimitsWish
}

function objectAt(value: Json, place: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${place} must be an object`)
  const unknown = Object.keys(value).find(key => !known.includes(key))
  if (unknown !== undefined) throw new Error(`${place}.${unknown}: known keys are ${known.join(', ')}`)
  return value
}
