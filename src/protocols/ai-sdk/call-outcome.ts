import type { HoldKind } from '../../core/hold/hold.ts'
import type { HoldState } from '../../core/journal/thread.ts'
import type { ContentPart, FilePart, ImagePart, ProviderCallPart, SourcePart } from '../../core/message/part.ts'
import { contentText } from '../../core/message/part-words.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Json } from '../../core/text/json.ts'

/** The outcomes of a call that the parts of the AI SDK distinguish. */
export type CallOutcome =
  | { readonly state: 'output-available'; readonly output: Json }
  | { readonly state: 'output-error'; readonly errorText: string }
  /** By a person who was asked for an approval. */
  | { readonly state: 'output-denied' }

export function outcomeOfCall({ output, parts, error }: ToolCall, hold: HoldState | null): CallOutcome {
  if (!error) return { state: 'output-available', output: parts ? contentText(parts) : output }
  if (error.code === REJECTED && hold?.kind === 'approval') return { state: 'output-denied' }
  return { state: 'output-error', errorText: error.message }
}

/** Of a call that the provider of the model ran. Without a result the answer ended first. */
export function outcomeOfProvider({ result = null, is_error }: ProviderCallPart): CallOutcome {
  if (!is_error) return { state: 'output-available', output: result }
  return { state: 'output-error', errorText: typeof result === 'string' ? result : JSON.stringify(result) }
}

/** A source as the parts of the AI SDK name it. */
export function sourceOf({ id: sourceId, url, title, name, media_type = 'text/plain' }: SourcePart) {
  if (url !== undefined) return { type: 'source-url' as const, sourceId, url, ...(title !== undefined && { title }) }
  const named = title ?? name ?? sourceId
  return { type: 'source-document' as const, sourceId, mediaType: media_type, title: named }
}

const REJECTED = 'TOOL_CALL_REJECTED'

/** True if the client has to give the result: nothing here runs such a call. */
export function isForClient(hold: HoldState | null): boolean {
  return hold !== null && FOR_CLIENT[hold.kind]
}

const FOR_CLIENT: Record<HoldKind, boolean> = {
  approval: false,
  question: true,
  input: false,
  client_tool: true,
  in_doubt: false,
}

export interface FileParts {
  readonly url: string
  readonly mediaType: string
}

/** The images and files among the parts of a message or of a result. */
export function filesIn(parts: readonly ContentPart[] | undefined): FileParts[] {
  return (parts ?? []).flatMap(part => (part.type === 'text' ? [] : [fileOf(part)]))
}

export function fileOf({ media_type: mediaType, data, url }: ImagePart | FilePart): FileParts {
  return { mediaType, url: data === undefined ? url : `data:${mediaType};base64,${data}` }
}
