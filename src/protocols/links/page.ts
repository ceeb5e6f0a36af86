import { type Html, html } from '../../core/text/html.ts'

/** Beside the links, which are longer than this name. */
export const STYLE_PATH = '/l/style.css'

/**
 * No script runs, and no other site is asked for anything. The form posts with its Origin, which `no-referrer` would hide;
 * to other sites this tells no more.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'",
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

export interface Page {
  readonly status?: number
  /** One line. */
  readonly title: string
  readonly body: Html
  readonly headers?: Readonly<Record<string, string>>
}

export function pageResponse({ status = 200, title, body, headers = {} }: Page): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Holdpoint</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return new Response(page.html, { status, headers: { ...headers, ...HEADERS } })
}
