import type { Sha256 } from './audit-chain.ts'

/** The hash of a secret's digest, for its record: readers of the log do not get the digest itself. */
export function tokenProof(digest: string, sha256: Sha256): string {
  return `sha256:${sha256(digest)}`
}
