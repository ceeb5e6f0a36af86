import { createHash } from 'node:crypto'

/** 304 if the caller has the document already. Weak: the same document may be written in other bytes. */
export async function withETag({ headers: asked }: Request, response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.text()
  const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)}"`
  const headers = { etag: tag, 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' }
  if (isKnown(asked.get('if-none-match'), tag)) return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } })
}

const TAG_LENGTH = 22

function isKnown(known: string | null, tag: string): boolean {
  const opaque = tag.slice(2)
  return (known ?? '').split(',').some(each => each.trim().replace(/^W\//, '') === opaque)
}
