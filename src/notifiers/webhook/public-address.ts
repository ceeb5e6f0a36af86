/**
 * A project may not make a server post to what only that server reaches. The check is made when the connection is made:
 * a name that resolves to another address by then gets nothing.
 */
import { lookup } from 'node:dns'
import { isAddress, isNameOfThisMachine, isPublicAddress } from '../../core/network/public-address.ts'
import { publicLookup } from '../../core/network/public-lookup.ts'
import { NotSentError } from '../../core/notice/not-sent.ts'

/** A `dns.lookup` that finds public addresses alone, for the option of that name. */
export const lookupPublic = publicLookup(lookup, privateAddress)

/** Refuses URLs that nothing may be posted to, as far as that shows without the network. @throws NotSentError */
export function refuseUnsafe(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if ((isAddress(host) && !isPublicAddress(host)) || isNameOfThisMachine(host)) throw privateAddress(host)
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
