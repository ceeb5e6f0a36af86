/**
 * The pieces in which an answer, its calls and their output arrive. They are streamed and never stored: the journal has
 * the whole of it, and replaces the pieces.
 */
interface PartData {
  /** `id` is unique in its run, but for an answer that is given again after a crash: a part that starts again replaces the first. */
  readonly 'text.start': { readonly id: string }
  readonly 'text.delta': { readonly id: string; readonly delta: string }
  readonly 'text.end': { readonly id: string }
  /** The model thinks aloud; this is not part of its answer. */
  readonly 'reasoning.start': { readonly id: string }
  readonly 'reasoning.delta': { readonly id: string; readonly delta: string }
  readonly 'reasoning.end': { readonly id: string }
  /** Arguments as the model writes them: the deltas add up to JSON text. `call_id` is the one in the journal. */
  readonly 'tool_input.start': { readonly call_id: string; readonly name: string }
  readonly 'tool_input.delta': { readonly call_id: string; readonly delta: string }
  readonly 'tool_input.end': { readonly call_id: string }
  /** Output of a tool that runs. `stream` is `null` if the tool has one alone. */
  readonly 'tool_output.delta': { readonly call_id: string; readonly stream: string | null; readonly delta: string }
  /** The pieces of the inference under way will not be in the journal: forget its text, reasoning and calls. */
  readonly 'inference.void': { readonly because: 'retry' | 'failed' | 'stopped' }
  /** The model failed and is asked again in `wait_ms`. */
  readonly 'model.retrying': {
    readonly attempt: number
    readonly wait_ms: number
    readonly code: string
    readonly message: string
  }
}

/** Everything that is streamed and not stored; each protocol derives its own pieces from these. */
export type ModelPart = { [K in keyof PartData]: { readonly kind: K; readonly data: PartData[K] } }[keyof PartData]

/** The pieces that a model streams. `call_id` is the provider's id of the call, as in `RequestedCall`. */
export type InferencePart = Extract<ModelPart, { kind: `${'text' | 'reasoning' | 'tool_input'}.${string}` }>
