/**
 * A project may not make a server post to what only that server reaches. The check is made when the connection is made:
 * a name that resolves to another address by then gets nothing.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { NotSentError } from '../../core/notice/not-sent.ts'

/** One list for each family: a mixed list matches an IPv4 address against IPv6 addresses that embed it. */
const PRIVATE = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [address, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
])
  PRIVATE.ipv4.addSubnet(address, bits, 'ipv4')
for (const [address, bits] of [
  ...([
    // Also `::1`, and an old way to carry an address of IPv4.
    ['::', 96],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ] as const),
  // Addresses that carry one of IPv4 within.
  ...([
    ['::ffff:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2001::', 32],
    ['2002::', 16],
  ] as const),
])
  PRIVATE.ipv6.addSubnet(address, bits, 'ipv6')

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  return family === 0 || PRIVATE[kind].check(address, kind)
}

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** A `dns.lookup` that finds public addresses alone, for the option of that name. */
export function lookupPublic(hostname: string, options: LookupOptions, found: Found): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return found(error, '')
    if (addresses.some(({ address }) => isPrivateAddress(address))) return found(privateAddress(hostname), '')
    const [first] = addresses
    if (options.all) found(null, addresses)
    else found(null, first?.address ?? '', first?.family)
  })
}

/** @throws NotSentError for what is never looked up: an address in numbers, and names of this machine. */
function refusePrivateHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '')
  if ((isIP(host) !== 0 && isPrivateAddress(host)) || OF_THIS_MACHINE.test(host)) throw privateAddress(host)
}

/** Names that lead nowhere else (RFC 6761). */
const OF_THIS_MACHINE = /(^|\.)localhost\.?$/

/** Refuses URLs that nothing may be posted to, as far as that shows without the network. @throws NotSentError */
export function refuseUnsafe(url: URL): void {
  refusePrivateHost(url)
  if (url.protocol === 'https:') return
  throw new NotSentError('webhook_without_tls', `${url.origin} would get notices unencrypted.`, {
    retry: 'never',
    hint: 'Use https, or write "allow_private": true beside its url if it is in your own network.',
  })
}

function privateAddress(host: string): NotSentError {
  return new NotSentError('private_address', `${host} is an address of this machine or of a private network.`, {
    retry: 'never',
    hint: 'Write "allow_private": true beside its url if that is meant, and retry the notice.',
  })
}
