import type { Ephemeral } from './event-sink.ts'

const KINDS: Record<Ephemeral['kind'], true> = {
  'text.start': true,
  'text.delta': true,
  'text.end': true,
  'reasoning.start': true,
  'reasoning.delta': true,
  'reasoning.end': true,
  'tool_input.start': true,
  'tool_input.delta': true,
  'tool_input.end': true,
  'tool_output.delta': true,
  'inference.void': true,
  'model.retrying': true,
}

/** Reads a piece that another process sent. `null` for a piece of another version that this one does not know. */
export function readEphemeral(value: unknown): Ephemeral | null {
  if (typeof value !== 'object' || value === null) return null
  const { kind, data, thread_id, run_id, ephemeral, after, index } = value as Record<string, unknown>
  const isOne =
    typeof kind === 'string' &&
    Object.hasOwn(KINDS, kind) &&
    typeof data === 'object' &&
    data !== null &&
    typeof thread_id === 'string' &&
    typeof run_id === 'string' &&
    ephemeral === true &&
    Number.isSafeInteger(after)
  if (!isOne) return null
  const event = { kind, data, thread_id, run_id, ephemeral, after }
  return (Number.isSafeInteger(index) ? { ...event, index } : event) as Ephemeral
}
