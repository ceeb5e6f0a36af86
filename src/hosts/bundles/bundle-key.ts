import { RefusedError } from '../../core/errors.ts'
import { readText } from '../process/read-text.ts'

/**
 * The passphrase with which bundles are encrypted, and by which they are known to be ours; `null` where none is set. A
 * variable that is set to nothing is a secret that is missing: it must not become a bundle that anybody can forge.
 * @throws RefusedError `empty_bundle_key`
 */
export async function bundleKey(
  keyFile: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const named = keyFile === null ? env['HOLDPOINT_BUNDLE_KEY'] : await readText(keyFile, 'The key of bundles')
  if (named === undefined) return null
  // Editors and `echo` end a file with a line feed that nobody means.
  const key = keyFile === null ? named : named.replace(/\r?\n$/, '')
  if (key.trim() !== '') return key
  const where = keyFile === null ? 'HOLDPOINT_BUNDLE_KEY is set to nothing' : `The key in ${keyFile} is empty`
  throw new RefusedError('empty_bundle_key', `${where}, so nothing was done.`, {
    hint: 'Set it to a long random text (in CI: is the secret available to this job?), or remove it to do without a key.',
  })
}
