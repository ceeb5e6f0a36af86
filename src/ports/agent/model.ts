import type { Message } from '../../core/journal/message.ts'
import type { AnswerPart, ContentPart } from '../../core/message/part.ts'
import type { Usage } from '../../core/run/usage/usage.ts'
import type { ModelOptions } from '../../core/settings/model-settings.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { InferencePart } from './model-part.ts'

/** A tool as a model is shown it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

/** No option is `null` here. */
export interface ModelRequest extends ModelOptions {
  readonly system: string | null
  /** In provider order: each tool call of an assistant message is answered exactly once, directly after, in call order. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly signal: AbortSignal
  /** Call it with each piece of the answer as it arrives. Optional: the whole answer has every piece too. */
  readonly onPart: (part: InferencePart) => void
}

/** A tool that a model's provider takes in no form. */
export interface UnfitTool {
  readonly tool: string
  /** Why, as the end of a sentence. */
  readonly why: string
}

/** A call as the provider gave it: the arguments still as text, which may not be JSON. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Opaque to Holdpoint; handed back to the same provider with the call (a thought signature, say). */
  readonly metadata: Json
}

/** A whole answer of a model. */
export interface ModelAnswer {
  readonly text: string
  /**
   * The answer in its order, if it has more than a text and then calls: thoughts, text between calls. Its texts are
   * `text`, and a `tool_call` names a call by its id. The model gets them back in this order.
   */
  readonly parts?: readonly AnswerPart[]
  readonly calls: readonly RequestedCall[]
  readonly usage: Usage
  /**
   * Why it ends. With `length` or `content_filter` nothing of it counts, and `pause_turn` goes on. `done`: it is whole
   * even if it is empty.
   */
  readonly finish_reason: string
  /** What of the request the model was not asked as it says, such as a setting that it does not have. Default: none. */
  readonly warnings?: readonly string[]
}

/** The part of a language model of the AI SDK (specification 2, 3 or 4) that Holdpoint uses. */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  // biome-ignore lint/suspicious/noExplicitAny: each version of the specification has its own types
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<any> }>
}

/** `provider/model`, `script:FILE`, a language model of the AI SDK, or a model of your own. */
export type ModelChoice = string | AiSdkModel | Model

/** A language model. Write one of your own, or name a provider. */
export interface Model {
  /** `provider/model`, as the user wrote it. */
  readonly id: string
  /** The tokens that it reads at most, if that is known. Default: what its provider says when it refuses a request. */
  readonly window?: number
  /** Those of the tools that cannot be sent to its provider: a request leaves them out. Default: none. */
  unfit?(tools: readonly ToolSpec[]): readonly UnfitTool[]
  /**
   * Why it does not read an image or a file, as the end of a sentence; `null` if it does. `among`: all parts of the request,
   * because many images may have a lower limit. Default: it reads any.
   */
  unread?(part: ContentPart, among?: readonly ContentPart[]): string | null
  /** @throws ModelError when it cannot answer; the signal's reason when it was aborted. */
  answer(request: ModelRequest): Promise<ModelAnswer>
}
