import type { Usage } from '../core/run/usage/usage.ts'
import { NO_USAGE } from '../core/run/usage/usage.ts'
import type { Script, ScriptFailure, ScriptTurn } from './script.ts'

/** A complete turn, with its defaults filled in. */
export interface PlayedTurn {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly usage: Usage
  readonly finishReason: string
  readonly delayMs: number
  /** Set if this attempt at the turn fails. */
  readonly failure: ScriptFailure | null
}

/** The text of a played script at each position past its last turn. */
const SCRIPT_ENDED = '(script ended)'

/** Gives the turn at a position: the number of answers that the model has already given in this conversation. */
export function playScript(script: Script): (position: number) => PlayedTurn {
  const askings = new Map<number, number>()
  return position => {
    const asking = (askings.get(position) ?? 0) + 1
    askings.set(position, asking)
    const entry = script[position] ?? SCRIPT_ENDED
    return played(typeof entry === 'string' ? { text: entry } : entry, position, asking)
  }
}

function played(turn: ScriptTurn, position: number, asking: number): PlayedTurn {
  const failure = turn.error ?? null
  return {
    text: turn.text ?? '',
    calls: (turn.calls ?? []).map((call, index) => ({
      id: call.id ?? `call_${position}_${index}`,
      name: call.name,
      arguments: call.raw_args ?? JSON.stringify(call.args ?? {}),
    })),
    usage: usageOf(turn),
    finishReason: turn.finish_reason ?? ((turn.calls ?? []).length > 0 ? 'tool-calls' : 'stop'),
    delayMs: turn.delay_ms ?? 0,
    failure: asking > (failure?.times ?? Number.POSITIVE_INFINITY) ? null : failure,
  }
}

function usageOf({ usage }: ScriptTurn): Usage {
  if (!usage) return NO_USAGE
  const { input = 0, output = 0, cached = 0 } = usage
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(cached > 0 && { cached_input_tokens: cached }),
  }
}
