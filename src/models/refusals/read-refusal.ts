import type { Refusal } from '../../core/repair/refusal.ts'
import type { RefusedFor } from '../../core/run/repair/context-repair.ts'

/** What the words of a provider are about. `settings`: nothing of the conversation, so leaving a part out is no help. */
interface Pattern {
  readonly about: RefusedFor | 'settings'
  readonly words: RegExp
}

/**
 * The first that fits counts. Sources: the errors of the providers, as their documentation and public reports have them.
 */
const PATTERNS: readonly Pattern[] = [
  // Anthropic: "prompt is too long: 213462 tokens > 200000 maximum", and `request_too_large`.
  { about: 'overflow', words: /prompt is too long|input is too long|request_too_large|exceed context limit/i },
  // OpenAI: `context_length_exceeded`, "This model's maximum context length is 8192 tokens", "exceeds the context window".
  { about: 'overflow', words: /context_length_exceeded|maximum context length|context window|context length/i },
  // Google: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)".
  { about: 'overflow', words: /input token count.*exceeds|exceeds the maximum number of tokens|too many tokens/i },
  // Groq, llama.cpp, LM Studio: "Please reduce the length of the messages", "exceeds the available context size".
  { about: 'overflow', words: /reduce the length of the messages|available context size|maximum prompt length/i },
  // Anthropic: "tools.6.custom.input_schema: ..."; OpenAI: "Invalid schema for function 'x'", "Invalid 'tools[6].function...".
  {
    about: 'schema',
    words: /input_schema|invalid schema|invalid json schema|invalid_function_parameters|tools[.[]\d+/i,
  },
  // Google: "GenerateContentRequest.tools[0].function_declarations[6].parameters...", "functionDeclaration `x` schema".
  { about: 'schema', words: /function_?declaration/i },
  // Anthropic: "Could not process image", "image exceeds 5 MB maximum", "image.source.base64: ..."; OpenAI:
  // `invalid_image_format`, "You uploaded an unsupported image", `image_parse_error`; Google: "Unable to process input image".
  { about: 'image', words: /\bimages?\b|image_url|invalid_image|image_parse|inline_?data|base64|media[_ ]type|mime/i },
  // Anthropic: "Invalid `signature` in `thinking` block"; OpenAI: "reasoning item without its required following item",
  // "Item with id 'rs_1' not found", "The encrypted content gAAA could not be verified".
  { about: 'order', words: /thinking|redacted_|signature|reasoning.*item|item.*reasoning|item with id/i },
  { about: 'order', words: /encrypted.content.*(verif|decrypt|pars)/i },
  // Anthropic: "credit balance is too low", "max_tokens: 64000 > 8192"; OpenAI: "Unsupported parameter: 'temperature'".
  { about: 'settings', words: /credit|billing|quota|unsupported (parameter|value)|unknown parameter/i },
  { about: 'settings', words: /model.{0,60}(not (exist|found|supported)|does not support)|with this model/i },
  {
    about: 'settings',
    words: /max_(completion_|output_)?tokens|temperature|top_[pk]|stop_sequences|tool_choice|reasoning_effort/i,
  },
]

/** The statuses with which a provider refuses what it was sent. 404: an item in it. */
const CONTENT_STATUSES: readonly number[] = [400, 404, 413, 422]

const LONGEST_WORDS = 300

/** What a place in a provider's own terms is in those of the thread. */
export interface SentPlaces {
  /** By the place of a message on the wire, and of a part in it. */
  partAt(message: number, part: number | null): { readonly message: number; readonly part?: number } | null
  toolAt(index: number): string | null
  toolNamed(wire: string): string | null
}

/** What a provider's package threw. */
interface Thrown {
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly responseBody?: unknown
}

/** The provider's package refuses a part by itself, without asking. */
export function isUnsupported(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'functionality' in thrown
}

/** `null` if it is not about the content of the request. */
export function refusalOf(thrown: unknown, sent: SentPlaces): Refusal | null {
  const { message, statusCode, responseBody }: Thrown = typeof thrown === 'object' && thrown !== null ? thrown : {}
  const said = typeof message === 'string' ? message : ''
  const body = typeof responseBody === 'string' ? responseBody : ''
  if (isUnsupported(thrown)) return { about: 'unknown', words: said }
  return readRefusal({ status: Number(statusCode), said, body }, sent)
}

interface Said {
  readonly status: number
  readonly said: string
  /** Its codes are part of the words. */
  readonly body: string
}

export function readRefusal({ status, said, body }: Said, sent: SentPlaces): Refusal | null {
  if (!CONTENT_STATUSES.includes(status)) return null
  const text = `${said} ${body}`
  const about = status === 413 ? 'overflow' : (PATTERNS.find(({ words }) => words.test(text))?.about ?? 'unknown')
  if (about === 'settings') return null
  const words = (said || body).replace(/\s+/g, ' ').slice(0, LONGEST_WORDS)
  if (about === 'schema') return { about, words, ...toolIn(text, sent) }
  // 413 is about bytes.
  if (about === 'overflow') return { about, words, ...(status !== 413 && lengthsIn(said || body)) }
  return { about, words, ...placeIn(text, sent) }
}

/** `messages.4.content.2`, `messages[4].content[2]`, `contents[4].parts[2]`, `input[4]`. */
const PLACE = /(?:messages|contents|input)[.[]+(\d+)\]?(?:[.[]+(?:content|parts)[.[]+(\d+))?/

function placeIn(text: string, sent: SentPlaces): Pick<Refusal, 'message' | 'part'> {
  const [, message, part] = PLACE.exec(text) ?? []
  if (message === undefined) return {}
  return sent.partAt(Number(message), part === undefined ? null : Number(part)) ?? {}
}

function toolIn(text: string, sent: SentPlaces): Pick<Refusal, 'tool'> {
  const [, index] = /(?:function_?declarations|tools)[.[]+(\d+)(?!\d*\]?\.function_?declarations)/i.exec(text) ?? []
  const [, name] = /function '([^']+)'/.exec(text) ?? []
  const tool =
    (name === undefined ? null : sent.toolNamed(name)) ?? (index === undefined ? null : sent.toolAt(Number(index)))
  return tool === null ? {} : { tool }
}

/** Anthropic, if the answer needs too much room: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000". */
const WITH_ANSWER = /(\d+) \+ (\d+) > (\d+)/

/** Two large numbers are what was sent and what fits; a lone one is what fits. */
function lengthsIn(text: string): Pick<Refusal, 'excess' | 'sent' | 'window'> {
  const [, input, answer, all] = (WITH_ANSWER.exec(text) ?? []).map(Number)
  if (input !== undefined && answer !== undefined && all !== undefined) return lengths(input, all - answer)
  const numbers = (text.match(/\d[\d,]{2,}/g) ?? []).map(each => Number(each.replaceAll(',', '')))
  const large = numbers.filter(each => each >= LEAST_WINDOW)
  const [sent, fits] = [Math.max(...large), Math.min(...large)]
  if (!Number.isFinite(fits)) return {}
  if (sent > fits) return lengths(sent, fits)
  return /token|context/i.test(text) ? { window: fits } : {}
}

/** Smaller numbers are counts of something else. */
const LEAST_WINDOW = 500

function lengths(sent: number, window: number): Pick<Refusal, 'excess' | 'sent' | 'window'> {
  return window > 0 && sent > window ? { excess: 1 - window / sent, sent, window } : {}
}
