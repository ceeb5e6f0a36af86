import { SECURITY_HEADERS } from './security-headers.ts'

/** A page that says one thing, and leads back to the inbox. It needs no JavaScript. */
export function messagePage(status: number, message: string, cookies: readonly string[] = []): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdpoint</title>
<p>${escaped(message)}</p>
<p><a href="/">Back to the inbox</a></p>
</html>
`
  const headers = new Headers({
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(html, { status, headers })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
