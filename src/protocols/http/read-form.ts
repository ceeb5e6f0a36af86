import type { Problem } from './problem.ts'
import { isProblem } from './problem.ts'
import { readBody } from './read-json.ts'

/** The content type of a form that a page posts. */
const IS_FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Reads the fields of a posted form, at most `maxBytes` of it. Resolves to a problem if the body is no form. */
export async function readForm(
  request: Request,
  maxBytes: number,
): Promise<{ readonly fields: URLSearchParams } | Problem> {
  if (!IS_FORM.test(request.headers.get('content-type')?.trim() ?? '')) return NO_FORM_TYPE
  const body = await readBody(request, maxBytes)
  if (isProblem(body)) return body
  try {
    return { fields: new URLSearchParams(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes)) }
  } catch {
    return NOT_A_FORM
  }
}

const NO_FORM_TYPE: Problem = {
  status: 415,
  code: 'unsupported_media_type',
  detail: 'Unsupported Media Type: Content-Type must be application/x-www-form-urlencoded.',
}

const NOT_A_FORM: Problem = { status: 400, code: 'not_a_form', detail: 'Parse error: the body is no form in UTF-8.' }
