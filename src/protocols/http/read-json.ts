import { faultsText, type JsonFault, readExactly } from '../../core/plain/exact-json.ts'
import { isTooDeep, type Json } from '../../core/text/json.ts'
import { jsonPath } from '../../core/text/json-path.ts'
import { isProblem, type Problem } from './problem.ts'

/** `application/json`, with parameters or without. */
export const IS_JSON: RegExp = /^application\/json\s*(;|$)/i

/**
 * Reads a body of JSON, at most `maxBytes` of it, even if its headers say otherwise. Resolves to a problem if it is not
 * one.
 */
export async function readJson(request: Request, maxBytes: number): Promise<{ readonly json: unknown } | Problem> {
  if (!isJson(request)) return NO_JSON_TYPE
  const body = await readBody(request, maxBytes)
  if (isProblem(body)) return body
  const read = parseJson(body.bytes)
  return !isProblem(read) && read.faults.length > 0 ? notExact(read.faults) : read
}

/** True if its headers say that its body is JSON. */
export function isJson({ headers }: Request): boolean {
  return IS_JSON.test(headers.get('content-type')?.trim() ?? '')
}

/** A body as it was sent, at most `maxBytes` of it. Resolves to a problem if there is more, or if it ends too soon. */
export async function readBody(request: Request, maxBytes: number): Promise<{ readonly bytes: Uint8Array } | Problem> {
  if (Number(request.headers.get('content-length')) > maxBytes + DROPPED_BYTES) return tooLarge(maxBytes)
  const bytes = await readBytes(request, maxBytes).catch(() => 'cut_off' as const)
  if (bytes === 'cut_off') return CUT_OFF
  return bytes === null ? tooLarge(maxBytes) : { bytes }
}

/** The value of a JSON text in UTF-8. Returns a problem if it is none, or is nested too deeply. */
export function parseJson(bytes: Uint8Array): ParsedJson | Problem {
  const read = parsed(bytes)
  return read && isTooDeep(read.json) ? TOO_DEEP : (read ?? NOT_JSON)
}

/** Only a client that is gone, or that is cut off because it is too slow, does not bring its body to an end. */
const CUT_OFF: Problem = { status: 400, code: 'body_cut_off', detail: 'The body did not come to its end.' }

interface ParsedJson {
  readonly json: Json
  /** The parts of the text that `json` does not represent. */
  readonly faults: readonly JsonFault[]
}

function parsed(bytes: Uint8Array): ParsedJson | null {
  try {
    const { value: json, faults } = readExactly(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return { json, faults }
  } catch {
    return null
  }
}

/** The body has another type. */
export const NO_JSON_TYPE: Problem = {
  status: 415,
  code: 'unsupported_media_type',
  detail: 'Unsupported Media Type: Content-Type must be application/json.',
}

const NOT_JSON: Problem = { status: 400, code: 'not_json', detail: 'Parse error: the body is not JSON.' }

/** P9: what is recorded is what the client wrote, or nothing. */
function notExact(faults: readonly JsonFault[]): Problem {
  const detail = `The body says what no value can: ${faultsText(faults, 'body')} Nothing was done.`
  const errors = faults.map(({ path, problem }) => ({ path: jsonPath('body', path), message: problem }))
  return { status: 400, code: 'json_not_exact', detail, more: { errors } }
}

const TOO_DEEP: Problem = { status: 400, code: 'json_too_deep', detail: 'The body is nested too deeply.' }

function tooLarge(maxBytes: number): Problem {
  const detail = `The body is larger than ${maxBytes} bytes.`
  // The connection closes, because the rest of the body is not read.
  return { status: 413, code: 'body_too_large', detail, headers: { connection: 'close' } }
}

/** A proxy that still sends does not pass on an answer, so this much of what is too large is read, and dropped. */
const DROPPED_BYTES = 8 * 1024 * 1024

/** `null` if there are more. */
async function readBytes({ body }: Request, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size <= maxBytes) chunks.push(chunk)
    else if (size > maxBytes + DROPPED_BYTES) return null
    else chunks.length = 0
  }
  if (size > maxBytes) return null
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)
}
