/** The cookies of a signed-in browser. No script reads them, and no page of another site has them sent. */

/** `secure` if browsers reach the server by HTTPS alone, `plain` on loopback without TLS. */
export type Cookies = 'secure' | 'plain'

/** `strict`: never sent for another site. `lax`: also if that site leads the browser here, as a provider of sign-ins does. */
export interface CookieOptions {
  readonly sameSite: 'strict' | 'lax'
  /** Seconds; 0 removes it. */
  readonly maxAge: number
}

/** The session's secret in a request; `null` without one. */
export function sessionIn(headers: Headers, cookies: Cookies): string | null {
  return cookieIn(headers, 'hp', cookies)
}

/** A value of `Set-Cookie` that gives a browser its session; an empty secret removes it. */
export function sessionCookie(headers: Headers, secret: string, { cookies, maxAge }: SessionCookie): string {
  return setCookie(headers, { name: 'hp', value: secret, cookies }, { sameSite: 'strict', maxAge })
}

interface SessionCookie extends Pick<CookieOptions, 'maxAge'> {
  readonly cookies: Cookies
}

/** `null` without one. */
export function cookieIn(headers: Headers, name: string, cookies: Cookies): string | null {
  const wanted = fullName(headers, name, cookies)
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === wanted && value !== '') return value
  }
  return null
}

interface Cookie {
  readonly name: string
  /** Base64url and dots. */
  readonly value: string
  readonly cookies: Cookies
}

export function setCookie(
  headers: Headers,
  { name, value, cookies }: Cookie,
  { sameSite, maxAge }: CookieOptions,
): string {
  return [
    `${fullName(headers, name, cookies)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite === 'strict' ? 'Strict' : 'Lax'}`,
    ...(cookies === 'secure' ? ['Secure'] : []),
    `Max-Age=${maxAge}`,
  ].join('; ')
}

/**
 * Browsers take `__Host-` only from this very host, by HTTPS. They send a cookie to all ports of a host, so on loopback
 * its name has the port: two servers do not sign each other out.
 */
function fullName(headers: Headers, name: string, cookies: Cookies): string {
  if (cookies === 'secure') return `__Host-${name}`
  const port = URL.parse(`http://${headers.get('host') ?? ''}`)?.port ?? ''
  return port === '' ? name : `${name}-${port}`
}
