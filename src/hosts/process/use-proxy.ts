import { setGlobalProxyFromEnv } from 'node:http'
import { argumentRefusals } from '../refusals/argument-refusals.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Servers of this machine are reached without a proxy, whatever the environment says. */
const OWN = 'localhost,127.0.0.1,[::1]'

/**
 * Sends requests through the proxy that HTTPS_PROXY and HTTP_PROXY name, except to the hosts of NO_PROXY. Node does not do
 * so by itself. @throws RefusedError `invalid_proxy`
 */
export function useProxy(env: Environment): void {
  const proxies = proxiesIn(env)
  // Node 24.14 is the first that has it.
  if (proxies === null || typeof setGlobalProxyFromEnv !== 'function') return
  const none = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  try {
    setGlobalProxyFromEnv({ ...proxies, no_proxy: none === '' ? OWN : `${none},${OWN}` })
  } catch {
    // Its words repeat the address, which may have a password.
    throw argumentRefusals.invalidProxy()
  }
}

/** The lower-case names win, as in curl. `null` if no proxy is named. */
export function proxiesIn(env: Environment): Readonly<Record<string, string>> | null {
  const [https, http] = [env['https_proxy'] || env['HTTPS_PROXY'], env['http_proxy'] || env['HTTP_PROXY']]
  if (!https && !http) return null
  return { ...(https && { https_proxy: https }), ...(http && { http_proxy: http }) }
}
