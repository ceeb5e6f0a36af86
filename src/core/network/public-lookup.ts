import { isPublicAddress } from './public-address.ts'

export interface FoundAddress {
  readonly address: string
  readonly family: number
}

interface LookupWish {
  readonly all?: boolean | undefined
}

type Found = (error: Error | null, address: string | FoundAddress[], family?: number) => void

/** The `lookup` of a resolver, as `node:dns` has it, asked for all addresses. */
export type ResolveAll = (
  hostname: string,
  options: object & { readonly all: true },
  found: (error: Error | null, addresses: FoundAddress[]) => void,
) => void

export type Lookup = (hostname: string, options: LookupWish, found: Found) => void

/**
 * A `lookup` for requests that finds public addresses alone. The addresses that it checks are those to which the connection
 * is made, so a name that leads elsewhere a moment later gets nothing.
 */
export function publicLookup(resolve: ResolveAll, refused: (hostname: string) => Error): Lookup {
  return (hostname, options, found) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const fault = error ?? (arePublic(addresses) ? null : refused(hostname))
      if (fault === null) give(addresses, options, found)
      else found(fault, '')
    })
}

function give(addresses: FoundAddress[], { all }: LookupWish, found: Found): void {
  const [first] = addresses
  if (all) found(null, addresses)
  else found(null, first?.address ?? '', first?.family)
}

function arePublic(addresses: readonly FoundAddress[]): boolean {
  return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))
}
