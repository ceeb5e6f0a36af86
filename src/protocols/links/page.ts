import { type Html, html } from '../../core/text/html.ts'

/** No link has this name, because links are longer. */
export const STYLE_PATH = '/l/style.css'

/**
 * No script runs, and no other site is contacted. The form posts with its Origin, which `no-referrer` would hide;
 * other sites learn no more from this.
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
  /** A short line above the title. */
  readonly above?: string
  /** A text of one line. */
  readonly title: string
  readonly body: Html
  readonly headers?: Readonly<Record<string, string>>
}

export function pageResponse({ status = 200, above, title, body, headers = {} }: Page): Response {
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
${above === undefined ? null : html`<p class="quiet">${above}</p>`}
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return new Response(page.html, { status, headers: { ...headers, ...HEADERS } })
}

/** Dark and light, phone and desktop. The policy of the page takes styles from a file of this server alone. */
export const STYLE = `:root { background: var(--ground); color: var(--ink); color-scheme: light dark; --ground: #ffffff; --ink: #17191c; --edge: #c9ccd1; --soft: #f4f5f7; --edge-strong: #767b83; --quiet: #555b63; --link: #0b57d0; --good: #116329; --warn: #8f1d1d; --warn-soft: #fdecec; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #121417; --ink: #f1f2f4; --edge: #474b52; --soft: #23262b; --edge-strong: #8b9098; --quiet: #a9aeb6; --link: #8ab4f8; --good: #7ee2a0; --warn: #ffb4ab; --warn-soft: #3b1d1d; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; padding: 1rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; }
a { color: var(--link); }
pre { background: var(--soft); border: 1px solid var(--edge); border-radius: .5rem; font: .875rem/1.5 ui-monospace, monospace; margin: .5rem 0; padding: .5rem .75rem; white-space: pre-wrap; }
pre.wide { overflow-x: auto; white-space: pre; }
.words { border-left: 3px solid var(--edge); margin: .5rem 0; padding-left: .75rem; white-space: pre-wrap; }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: max-content 1fr; margin: .5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
ol, ul { margin: .25rem 0; padding-left: 1.25rem; }
form { margin: .75rem 0; }
fieldset { border: 0; margin: 0; min-width: 0; padding: 0; }
legend { padding: 0; }
label { display: block; margin: .25rem 0; }
textarea, input:not([type]) { background: transparent; border: 1px solid var(--edge-strong); border-radius: .375rem; color: inherit; font: inherit; padding: .5rem; width: 100%; }
button, details.no > summary { border: 1px solid var(--link); border-radius: .375rem; cursor: pointer; font: inherit; font-weight: 600; margin-top: .5rem; min-height: 2.75rem; padding: .5rem 1.25rem; text-align: center; }
button { background: var(--link); color: var(--ground); }
button.choice { display: block; text-align: start; width: 100%; }
button.no, details.no > summary { background: transparent; border-color: currentColor; color: inherit; }
summary { cursor: pointer; padding: .5rem 0; }
details.no > summary { display: block; list-style: none; width: fit-content; }
details.no > summary::-webkit-details-marker { display: none; }
details.no { margin-bottom: .5rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.warn { background: var(--warn-soft); border-radius: .5rem; color: var(--warn); font-weight: 600; margin: .5rem 0; padding: .5rem .75rem; }
del { color: var(--warn); text-decoration: none; }
ins { color: var(--good); text-decoration: none; }
img { max-width: 100%; }
.quiet { color: var(--quiet); font-size: .9375rem; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .5rem; }
  button, details.no > summary { width: 100%; }
}
`
