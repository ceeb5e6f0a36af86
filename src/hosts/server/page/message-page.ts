import { SECURITY_HEADERS } from './security-headers.ts'

export const STYLE_PATH = '/plain.css'

/** The style of pages with a single message. */
export const STYLE = `:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.25rem; }
`

/** A page of one message, in the words of HTML. */
export function plainPage(content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdpoint</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
<main>
<h1>Holdpoint</h1>
${content}
</main>
</html>
`
}

/** A page that links to the inbox, and needs no JavaScript. */
export function messagePage(status: number, message: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  const html = plainPage(`<p>${escaped(message)}</p>\n<p><a href="/">Back to the inbox</a></p>`)
  return new Response(html, { status, headers })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
