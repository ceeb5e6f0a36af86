/** Bundles as text: encrypted with a key, or as plain text. Cryptography is loaded when it is first used. */

import type { BinaryLike } from 'node:crypto'
import {
  type BundleHeader,
  bundleText,
  contentText,
  type Encryption,
  headText,
  type ReadBundle,
  readBundle,
  readContent,
} from '../../core/bundle/bundle.ts'
import type { Bundle } from '../../runtime/threads/bundles.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The parameters that the header's `kdf` names: 32 MB and about a tenth of a second for each guess. */
const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

/** `key` is `null` for a bundle that is not encrypted. */
export async function sealBundle({ header, thread }: Bundle, key: string | null): Promise<string> {
  const { hash } = await import('node:crypto')
  const sha256 = (text: string): string => hash('sha256', text, 'hex')
  const content = contentText(thread)
  if (key === null) return bundleText(header, content, sha256)
  const { sealed, encrypted } = await encrypt(header, content, key)
  return bundleText(sealed, encrypted, sha256)
}

/** @throws RefusedError if the text is no bundle, was changed, or was encrypted with another key. */
export async function unsealBundle(text: string, key: string | null): Promise<Bundle> {
  const { hash } = await import('node:crypto')
  const read = readBundle(text, content => hash('sha256', content, 'hex'))
  const { header } = read
  if (header.encryption === null && key !== null) throw projectRefusals.notEncrypted()
  const content = header.encryption === null ? read.content : await decrypt(read, header.encryption, key)
  return { header, thread: readContent(header.thread_id, content) }
}

/** The header is not encrypted, but none of it can be changed either. */
async function encrypt(
  header: BundleHeader,
  content: string,
  key: string,
): Promise<{ sealed: BundleHeader; encrypted: string }> {
  const { createCipheriv, randomBytes } = await import('node:crypto')
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const encryption: Encryption = {
    cipher: 'aes-256-gcm',
    kdf: 'scrypt-32768-8-1',
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
  }
  const sealed = { ...header, encryption }
  const cipher = createCipheriv(encryption.cipher, await derivedKey(key, salt), nonce)
  cipher.setAAD(Buffer.from(headText(sealed)))
  const encrypted = Buffer.concat([cipher.update(content, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { sealed, encrypted: encrypted.toString('base64') }
}

async function decrypt(read: ReadBundle, { cipher, salt, nonce }: Encryption, key: string | null): Promise<string> {
  if (key === null) throw projectRefusals.noKey()
  const { createDecipheriv } = await import('node:crypto')
  const bytes = Buffer.from(read.content, 'base64')
  try {
    const derived = await derivedKey(key, Buffer.from(salt, 'base64'))
    const decipher = createDecipheriv(cipher, derived, Buffer.from(nonce, 'base64'), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(read.head))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw projectRefusals.wrongKey(cause)
  }
}

async function derivedKey(passphrase: string, salt: BinaryLike): Promise<Buffer> {
  const { scrypt } = await import('node:crypto')
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(passphrase, salt, KEY_BYTES, SCRYPT, (error, derived) => (error ? reject(error) : resolve(derived)))
  return promise
}
