import { hash } from 'node:crypto'

/** P9: the digest of the text of this code, taken once, when it is first needed. */
export function codeDigest(...code: readonly (() => string)[]): () => string {
  let digest: string | undefined
  return () => {
    digest ??= `sha256:${hash('sha256', JSON.stringify(code.map(text => text())), 'hex')}`
    return digest
  }
}
