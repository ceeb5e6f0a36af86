import { createHash } from 'node:crypto'

const THREAD = /^th_[0-9a-z]{16}$/
/** The alphabet of thread ids. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_LETTERS = 16

/**
 * The thread of a conversation that a client named. An id of a thread names that thread, so a conversation that began
 * elsewhere continues here. Any other name belongs to the client: its thread id follows from the name, in every
 * process, and two requests that begin the same conversation at once meet at one thread.
 */
export function threadOfChat(name: string): string {
  if (THREAD.test(name)) return name
  const digest = createHash('sha256').update(`chat ${name}`).digest()
  return `th_${[...digest.subarray(0, ID_LETTERS)].map(byte => LETTERS[byte & 31]).join('')}`
}
