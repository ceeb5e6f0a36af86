import { readText } from '../process/read-text.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

/**
 * The passphrase that encrypts bundles and proves that they are ours; `null` if none is set. An empty variable is a
 * missing secret: it must not lead to a bundle that anyone can forge. @throws RefusedError `empty_bundle_key`
 */
export async function bundleKey(
  keyFile: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const named = keyFile === null ? env['HOLDPOINT_BUNDLE_KEY'] : await readText(keyFile, 'The key of bundles')
  if (named === undefined) return null
  // Editors and `echo` end a file with a line feed that is not part of the key.
  const key = keyFile === null ? named : named.replace(/\r?\n$/, '')
  if (key.trim() !== '') return key
  const where = keyFile === null ? 'HOLDPOINT_BUNDLE_KEY is set to nothing' : `The key in ${keyFile} is empty`
  throw projectRefusals.emptyBundleKey(where)
}
