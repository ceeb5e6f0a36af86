/**
 * The parts that messages are made of. A text alone is written as a string: that keeps older journals valid. They are
 * types and no interfaces, so that each of them is `Json`.
 */
import type { Json } from '../text/json.ts'

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

/** Parts that people send, and that tools may return. */
export type ContentPart = TextPart | ImagePart | FilePart

/** Parts of a model's answer, in its order. */
export type AnswerPart = SaidPart | ReasoningPart | CallPlace

/** A message: a text, or parts. */
export type Content = string | readonly ContentPart[]
