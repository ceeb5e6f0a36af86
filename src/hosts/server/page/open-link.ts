/**
 * `/open#LINK`: signs a browser in by a link of `holdpoint inbox`. The link follows the `#`, so no log and no other
 * site gets it, and a program that fetches each link that it finds uses none up.
 */
import type { ServePage } from './assets.ts'
import { plainPage, STYLE, STYLE_PATH } from './message-page.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

export const OPEN_PATH = '/open'
const SCRIPT_PATH = '/open.js'

const PAGE = plainPage(`<p id="said" role="status">Signing in …</p>
<p><a id="onward" href="/" hidden>Sign in with a token</a></p>
<noscript>This page needs JavaScript. In a terminal, holdpoint holds lists what waits, and holdpoint approve decides.</noscript>
<script src="${SCRIPT_PATH}"></script>`)

const SCRIPT = `const [link, next = '/'] = location.hash.slice(1).split('&next=')
history.replaceState(null, '', '${OPEN_PATH}')
const said = document.getElementById('said')
const pathOf = text => {
  const place = URL.canParse(text, location.origin) ? new URL(text, location.origin) : null
  // Two slashes at its beginning would name another site.
  return place?.origin === location.origin ? '/' + place.pathname.replace(/^\\/+/, '') + place.search : '/'
}
const refuse = text => {
  said.textContent = text
  document.getElementById('onward').hidden = false
}
fetch('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ link }) })
  .then(async answer => {
    if (answer.ok) return location.replace(pathOf(decodeURIComponent(next)))
    const { detail, hint = '' } = await answer.json()
    refuse(detail + ' ' + hint)
  })
  .catch(() => refuse('The server does not answer. Is holdpoint inbox still running?'))
`

const FILES: Readonly<Record<string, readonly [body: string, type: string]>> = {
  [OPEN_PATH]: [PAGE, 'text/html; charset=utf-8'],
  [SCRIPT_PATH]: [SCRIPT, 'text/javascript; charset=utf-8'],
  [STYLE_PATH]: [STYLE, 'text/css; charset=utf-8'],
}

export const serveOpenLink: ServePage = ({ method }, { pathname }) => {
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined
  if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return null
  const [body, type] = file
  const headers = { ...SECURITY_HEADERS, 'content-type': type, 'cache-control': 'no-cache' }
  return new Response(method === 'HEAD' ? null : body, { headers })
}

/** The address that signs a browser in, and leads to `next`. */
export function linkTo(url: string, { link, next }: { readonly link: string; readonly next: string }): string {
  return `${url}${OPEN_PATH}#${link}${next === '/' ? '' : `&next=${encodeURIComponent(next)}`}`
}
