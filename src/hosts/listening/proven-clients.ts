/** P1: over a socket of this user a process of an agent could decide by any name, so clients prove which process they are. */
import { randomBytes } from 'node:crypto'
import type { RefusedError } from '../../core/errors.ts'
import type { WelcomeFrame } from '../../core/fleet/frames.ts'
import { PeerProofs } from './peer-proofs.ts'

export class ProvenClients {
  #proofs: Promise<PeerProofs> | null = null
  readonly #secrets = new WeakMap<object, string>()

  /** How a client that arrives can prove it; it need not, until it decides. */
  async invite(client: object): Promise<Pick<WelcomeFrame, 'peer'>> {
    this.#proofs ??= PeerProofs.open()
    const { port } = await this.#proofs
    if (port === null) return {}
    const secret = randomBytes(32).toString('hex')
    this.#secrets.set(client, secret)
    return { peer: { port, secret } }
  }

  /** @throws RefusedError `process_not_trusted` if the client may not decide */
  async refuseUnproven(client: object): Promise<void> {
    const objection: RefusedError | null = (await this.#proofs)?.objectionTo(this.#secrets.get(client) ?? null) ?? null
    if (objection) throw objection
  }

  async close(): Promise<void> {
    ;(await this.#proofs)?.close()
  }
}
