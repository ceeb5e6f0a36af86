import { hash, randomFillSync } from 'node:crypto'
import type { IdKind, Ids } from '../../ports/ids.ts'

/** No i, l, o, u: an id can be read aloud. 32 letters, so that a byte's low five bits choose one evenly. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

const SHAPES: Record<IdKind, { readonly prefix: string; readonly letters: number }> = {
  thread: { prefix: 'th_', letters: 16 },
  run: { prefix: 'run_', letters: 16 },
  checkpoint: { prefix: 'cp_', letters: 10 },
  hold: { prefix: 'hold_', letters: 16 },
  decision: { prefix: 'dec_', letters: 16 },
  grant: { prefix: 'grant_', letters: 16 },
  task: { prefix: 'task_', letters: 16 },
  bundle: { prefix: 'bundle_', letters: 16 },
  token: { prefix: 'token_', letters: 16 },
  notice: { prefix: 'ntc_', letters: 16 },
  session: { prefix: 'session_', letters: 16 },
  subscription: { prefix: 'push_', letters: 16 },
  copy: { prefix: 'copy_', letters: 16 },
}

const SECRET_BYTES = 32

export const systemIds: Ids = {
  next: kind => {
    const { prefix, letters } = SHAPES[kind]
    let id = prefix
    for (const byte of randomBytes(letters)) id += LETTERS[byte & 31]
    return id
  },
  secret: () => `hp_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')}`,
  digest: text => `sha256:${hash('sha256', text, 'hex')}`,
}

/** Random bytes in stock: to ask for few costs nearly as much as to ask for many. */
const stock = new Uint8Array(4_096)
let used = stock.length

/** Valid until the next call. */
function randomBytes(count: number): Uint8Array {
  if (used + count > stock.length) {
    randomFillSync(stock)
    used = 0
  }
  used += count
  return stock.subarray(used - count, used)
}
