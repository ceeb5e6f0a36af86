import type { SealKey } from '../../core/audit/record-seal.ts'
import { givenSecret, SEAL_KEY } from './own-secret.ts'

/** Names the use of the MAC: other uses of the same secret never make one that fits. */
const PURPOSE = 'holdpoint audit record\n'
const ID_DIGITS = 8

/**
 * The key for the seals of records. Only the environment counts: a process that can read the store could also read a
 * file near it. @throws RefusedError `unusable_token`
 */
export function sealKeyIn(env: Readonly<Record<string, string | undefined>>): SealKey | null {
  const secret = givenSecret(SEAL_KEY, env)
  if (secret === null) return null
  // The module is loaded when first needed, because loading slows each start.
  const { createHmac } = process.getBuiltinModule('node:crypto')
  const mac = (text: string) => createHmac('sha256', secret).update(PURPOSE).update(text).digest('hex')
  return { id: mac('').slice(0, ID_DIGITS), mac }
}
