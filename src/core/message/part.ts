/**
 * The parts that messages are made of. A text alone is written as a string: that keeps older journals valid. They are
 * types and no interfaces, so that each of them is `Json`.
 */
import type { Json, JsonObject } from '../text/json.ts'

/** A piece of text. */
export type TextPart = {
  readonly type: 'text'
  readonly text: string
}

/** Base64, or an http(s) address that the provider of the model reads itself. */
export type FileSource =
  | { readonly data: string; readonly url?: never }
  | { readonly url: string; readonly data?: never }

/** `media_type` is `image/png` and the like; `image/*` if only the address is known. */
export type ImagePart = FileSource & {
  readonly type: 'image'
  readonly media_type: string
  readonly name?: string
}

/** A file that is no image. `name` is its file name. */
export type FilePart = FileSource & {
  readonly type: 'file'
  readonly media_type: string
  readonly name?: string
}

/** A text of an answer. `metadata` is opaque, as that of thoughts; left out if there is none. */
export type SaidPart = TextPart & { readonly metadata?: Json }

/** Thoughts of a model. `metadata` is opaque: the same provider takes it back with the text (a signature, say). */
export type ReasoningPart = {
  readonly type: 'reasoning'
  readonly text: string
  readonly metadata: Json
}

/** The place of a call among the parts of an answer; the call itself is one of the `tool_calls` of its message. */
export type CallPlace = {
  readonly type: 'tool_call'
  readonly id: string
}

/** A source on which the answer rests: a page, or a document without an address. */
export type SourcePart = {
  readonly type: 'source'
  /** The provider's id of it. */
  readonly id: string
  readonly url?: string
  readonly title?: string
  /** Of a document. */
  readonly media_type?: string
  readonly name?: string
}

/** A file that the model made. `metadata` is opaque, as that of thoughts. */
export type MadePart = (ImagePart | FilePart) & { readonly metadata?: Json }

/** A call that the provider of the model ran itself. No tool of the agent is behind it, and nothing of it is to run. */
export type ProviderCallPart = {
  readonly type: 'provider_call'
  readonly id: string
  /** The tool of the provider, such as `web_search`. */
  readonly name: string
  /** The MCP server to which the provider passed the call. */
  readonly server?: string
  /** A text if they are no JSON. `null` if the call is in an answer before, and only its result came with this one. */
  readonly arguments: JsonObject | string | null
  /** Left out if the answer ends before the call does. */
  readonly result?: Json
  readonly is_error?: true
  /** The protocol of the provider, which takes the call back. Absent if it takes no calls back. */
  readonly wire?: string
  /** Opaque data that the provider wants back with the call, and with its result. */
  readonly metadata?: Json
  readonly result_metadata?: Json
  /** What the policy says of it. `false`: it ran although no rule of the policy permits it. Set by the run. */
  readonly permitted?: boolean
  /** The rule of the policy in words. */
  readonly rule?: string
}

/** Parts that people send, and that tools may return. */
export type ContentPart = TextPart | ImagePart | FilePart

/** Parts of a model's answer, in its order. */
export type AnswerPart = SaidPart | ReasoningPart | CallPlace | SourcePart | MadePart | ProviderCallPart

/** A message: a text, or parts. */
export type Content = string | readonly ContentPart[]
