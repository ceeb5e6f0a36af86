import { RefusedError } from '../../core/errors.ts'

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Refuses to send a token unencrypted over a network, because all who listen there could use it.
 * @throws RefusedError `unsafe_address`
 */
export function refusePlainHttp(url: string, plainHttpTo: string | undefined): void {
  const { protocol, hostname } = parsed(url)
  if (protocol !== 'http:' || LOOPBACK.test(hostname) || hostname === plainHttpTo?.toLowerCase()) return
  throw new RefusedError(
    'unsafe_address',
    `${url} is not encrypted, and ${hostname} is another machine: those who listen on the way would get the token. Nothing was sent.`,
    {
      hint: `Use https. If that network is safe, allow it by name: \`plainHttpTo: '${hostname}'\`, or HOLDPOINT_PLAIN_HTTP_TO=${hostname}.`,
    },
  )
}

/** A page may name its own server by a path. */
function parsed(url: string): { readonly protocol: string; readonly hostname: string } {
  try {
    return new URL(url)
  } catch {
    return { protocol: '', hostname: '' }
  }
}
