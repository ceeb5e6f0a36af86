import type { PlayedTurn } from '../../models/play-script.ts'
import { answersIn, googleFaults } from './google-faults.ts'
import {
  type ModelServer,
  type ModelServerOptions,
  openModelServer,
  pieces,
  serverSentEvent,
  type Wire,
} from './model-server.ts'
import { GOOGLE_TOOLS, toolFaults } from './tool-faults.ts'

/**
 * Opens a local server that answers `POST /v1beta/models/MODEL:streamGenerateContent` as Gemini 3 streams it, and
 * `:generateContent` at once, from a list of turns. It signs its calls and texts, and refuses contents that Google refuses: a call without its signature, a call
 * without its response. Set GOOGLE_GENERATIVE_AI_BASE_URL to its `url`, and ask for `google/gemini-3-flash-preview`.
 */
export function openGoogleServer(options: ModelServerOptions): Promise<ModelServer> {
  return openModelServer(googleWire(), options)
}

/** By the word of a script. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

function googleWire(): Wire {
  const signatures = new Set<string>()
  const ofCalls = new Map<string, string>()
  const sign = ([first]: PlayedTurn['calls']): string => {
    const signature = `signature ${signatures.size + 1}`
    signatures.add(signature)
    if (first) ofCalls.set(first.id, signature)
    return signature
  }
  return {
    basePath: '',
    path: /^\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent$/,
    violations: body => [...googleFaults(body, { signatures, ofCalls }), ...toolFaults(body, GOOGLE_TOOLS)],
    answersIn,
    error: (code, message) => ({ error: { code, message, status: STATUSES[code] ?? 'UNKNOWN' } }),
    tooLong: (sent, window) =>
      `The input token count (${sent}) exceeds the maximum number of tokens allowed (${window}).`,
    errorEvent: message => serverSentEvent({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
    replay(events) {
      for (const { thoughtSignature, functionCall } of partsIn(events)) {
        if (thoughtSignature !== undefined) signatures.add(thoughtSignature)
        if (thoughtSignature !== undefined && functionCall?.id) ofCalls.set(functionCall.id, thoughtSignature)
      }
      return events.map(each => serverSentEvent(each))
    },
    events(turn, _body, thought) {
      const parts = partsOf(turn, { thought, signature: sign(turn.calls) })
      return [...parts.map(part => chunk([part])), chunk([], ending(turn))]
    },
    whole: (path, events) => (path.endsWith(':generateContent') ? joined(events.map(read)) : null),
  }
}

interface RecordedPart {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: { readonly id?: string }
}

interface Chunk {
  readonly candidates?: readonly { readonly content?: { readonly parts?: readonly RecordedPart[] } }[]
}

function partsIn(chunks: readonly Chunk[]): readonly RecordedPart[] {
  return chunks.flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content?.parts ?? []))
}

/** The chunks of a stream as the one document of `generateContent`: pieces of a text that follow one another are one part. */
function joined(chunks: readonly Chunk[]): Chunk {
  const parts = partsIn(chunks).reduce<RecordedPart[]>(added, [])
  const last = chunks.at(-1) ?? {}
  const candidates = (last.candidates ?? []).map(candidate => ({ ...candidate, content: { role: 'model', parts } }))
  return { ...last, candidates }
}

function added(parts: RecordedPart[], part: RecordedPart): RecordedPart[] {
  const before = parts.at(-1)
  const isSame = before?.text !== undefined && part.text !== undefined && before.thought === part.thought
  return isSame ? [...parts.slice(0, -1), { ...part, text: before.text + part.text }] : [...parts, part]
}

function read(event: string): Chunk {
  return JSON.parse(event.slice('data: '.length))
}

/** The first call is signed, or else the last piece of the text. */
function partsOf(
  { text, calls }: PlayedTurn,
  { thought, signature }: { thought: string; signature: string },
): object[] {
  const thoughtSignature = signature
  const words: object[] = pieces(text).map(piece => ({ text: piece }))
  return [
    ...pieces(thought).map(piece => ({ text: piece, thought: true })),
    ...(calls.length > 0 || words.length === 0
      ? words
      : [...words.slice(0, -1), { ...words.at(-1), thoughtSignature }]),
    ...calls.flatMap(({ id, name, arguments: text }, index) => {
      const args = parsed(text)
      return args === null ? [] : { functionCall: { id, name, args }, ...(index === 0 && { thoughtSignature }) }
    }),
  ]
}

/** `null`: a call comes whole or not at all, so one that was cut off is not there. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function ending({ finishReason, usage }: PlayedTurn): { readonly finishReason: string; readonly usage: object } {
  const { input_tokens: promptTokenCount, output_tokens: candidatesTokenCount, total_tokens: totalTokenCount } = usage
  const { cached_input_tokens: cachedContentTokenCount } = usage
  return {
    finishReason: FINISH_REASONS[finishReason] ?? finishReason.toUpperCase(),
    usage: {
      ...{ promptTokenCount, candidatesTokenCount, totalTokenCount },
      ...(cachedContentTokenCount && { cachedContentTokenCount }),
    },
  }
}

function chunk(parts: readonly object[], end?: ReturnType<typeof ending>): string {
  const candidate = { content: { role: 'model', parts }, index: 0 }
  if (!end) return serverSentEvent({ candidates: [candidate] })
  const { finishReason, usage: usageMetadata } = end
  return serverSentEvent({ candidates: [{ ...candidate, finishReason }], usageMetadata })
}
