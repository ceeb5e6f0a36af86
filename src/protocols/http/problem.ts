/** Why a request is not answered as it was meant (RFC 9457). */
export interface Problem {
  readonly status: number
  /** Stable, for programs. */
  readonly code: string
  /** The reason, for people. */
  readonly detail: string
  /** The next step. */
  readonly hint?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** More members of the document, for programs. */
  readonly more?: Readonly<Record<string, unknown>>
}

export function isProblem(value: object): value is Problem {
  return 'status' in value && 'detail' in value
}

/** `application/problem+json`. `type` is a URN, as the `$id` of a schema is: it names the code, and nothing is looked up there. */
export function problemResponse({ status, code, detail, hint, more, headers = {} }: Problem): Response {
  const title = TITLES[status] ?? 'Problem'
  const body = { type: `urn:holdpoint:error:${code}`, title, status, code, detail, ...(hint && { hint }), ...more }
  return Response.json(body, { status, headers: { ...headers, 'content-type': 'application/problem+json' } })
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}
