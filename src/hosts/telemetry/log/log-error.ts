import type { JsonObject } from '../../../core/text/json.ts'

/** Frames of a stack, at most. */
const FRAMES = 5

/** An error without its message, which may quote what was said: its type, its code if it has one, and where it was thrown. */
export function errorFields(error: unknown): JsonObject {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = 'code' in error ? String(error.code) : null
  const frames = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  return {
    error: error.name,
    ...(code !== null && { code }),
    // A refusal is no fault of the program: its code says it all.
    ...(code === null && { stack: frames.slice(0, FRAMES).map(line => line.trim()) }),
  }
}
