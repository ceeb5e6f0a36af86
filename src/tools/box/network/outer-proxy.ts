import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { bracketed } from '../../../core/effect/host-name.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A proxy of the machine, between it and the internet. */
export interface OuterProxy {
  readonly url: URL
  /** The value of `Proxy-Authorization`; `null` if the proxy asks for none. */
  readonly authorization: string | null
}

/**
 * The proxy that the environment names for a host, as curl reads it; `null` if there is none. Tunnels go by
 * HTTPS_PROXY, plain requests by HTTP_PROXY. @throws TypeError if it names no proxy of http or https
 */
export function outerProxyFor(env: Environment, kind: 'http' | 'https', host: string, port: number): OuterProxy | null {
  const text = env[`${kind}_proxy`] || env[`${kind.toUpperCase()}_PROXY`]
  if (!text || isExempt(env['no_proxy'] ?? env['NO_PROXY'] ?? '', host, port)) return null
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  // The address may have a password, so it is in no message.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('the proxy of this machine has no address of http or https')
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return { url, authorization: user === ':' ? null : `Basic ${Buffer.from(user).toString('base64')}` }
}

/** This machine is reached without a proxy, whatever the environment says. */
const OWN = ['localhost', '127.0.0.1', '::1']

function isExempt(list: string, host: string, port: number): boolean {
  if (OWN.includes(host)) return true
  const entries = list.toLowerCase().split(/[\s,]+/)
  return entries.some(entry => {
    if (entry === '*') return true
    const [, name = '', wanted] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.replaceAll(/[[\]]/g, '')) ?? []
    if (entry === host) return true
    return (
      name !== '' && (wanted === undefined || Number(wanted) === port) && (host === name || host.endsWith(`.${name}`))
    )
  })
}

export function connectToProxy({ url }: OuterProxy, timeoutMs: number): Socket {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const host = url.hostname.replaceAll(/[[\]]/g, '')
  return connect({ host, port, allowHalfOpen: true, timeout: timeoutMs })
}

/** A tunnel through the proxy to a host. @throws Error if the proxy cannot be reached, or refuses */
export async function tunnelThrough(proxy: OuterProxy, host: string, port: number, timeoutMs: number): Promise<Socket> {
  const { url, authorization } = proxy
  const target = `${bracketed(host)}:${port}`
  const isSecure = url.protocol === 'https:'
  const own = isSecure ? {} : { createConnection: () => connectToProxy(proxy, timeoutMs) }
  const asked = (isSecure ? httpsRequest : httpRequest)({
    ...own,
    agent: false,
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port || (isSecure ? 443 : 80),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(authorization !== null && { 'proxy-authorization': authorization }) },
    timeout: timeoutMs,
  })
  asked.on('timeout', () => asked.destroy(new Error('the proxy of this machine does not answer')))
  return new Promise((resolve, reject) => {
    asked.on('error', reject)
    asked.on('connect', (answer, socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        reject(new Error(`the proxy of this machine answers ${answer.statusCode}`))
      } else {
        if (head.length > 0) socket.unshift(head)
        resolve(socket as Socket)
      }
    })
    asked.end()
  })
}
