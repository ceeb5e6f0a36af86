/** A client that decides what waits, over REST or MCP, at whichever server answers. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../chaos/random.ts'
import { patienceMs } from '../../patience.ts'
import { modernRequest } from '../server/mcp-client.ts'
import type { Fleet } from './fleet.ts'

export interface Person {
  readonly name: string
  readonly token: string
}

export interface Truth {
  readonly verdict: string
  readonly decided_by: string
}

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Json = any

/** A request that a killed server may have taken or not is sent again, as it was. */
export class Decider {
  readonly person: Person
  readonly #fleet: Fleet
  readonly #random: Random
  readonly #protocol: 'REST' | 'MCP'
  /** By hold: the decision that this client was told to be the one that counts. */
  readonly told: Map<string, Truth> = new Map()
  /** By hold: its own decision, if it was told that this one is recorded. */
  readonly acknowledged: Map<string, Truth> = new Map()
  readonly oddities: string[] = []

  constructor(person: Person, site: { fleet: Fleet; random: Random; protocol: 'REST' | 'MCP' }) {
    this.person = person
    this.#fleet = site.fleet
    this.#random = site.random
    this.#protocol = site.protocol
  }

  /** Starts a run. One that no server acknowledged may have begun as well. */
  start(): Promise<Json> {
    return this.ask('/v1/threads', { input: 'go' })
  }

  /** Decides an open hold, if there is one; `effects` has the keys of what happened. */
  async decide(effects: () => Promise<ReadonlySet<string>>): Promise<void> {
    const { holds } = await this.ask('/v1/holds?limit=20')
    const hold = this.#random.oneOf(holds as readonly Json[])
    if (hold === undefined) return delay(20)
    const said = hold.kind === 'in_doubt' ? await this.#seen(hold, effects) : this.#choice()
    const key = `${this.person.name}-${hold.id}`
    const answer = await (this.#protocol === 'REST' ? this.#byRest(hold, said, key) : this.#byMcp(hold, said, key))
    this.#note(hold, answer)
  }

  #choice(): object {
    return this.#random.chance(0.8) ? { verdict: 'approve' } : { verdict: 'reject' }
  }

  /** A person who is asked whether something happened goes and looks. */
  async #seen(hold: Json, effects: () => Promise<ReadonlySet<string>>): Promise<object> {
    // The command of a killed process may still be at it.
    await delay(500)
    const happened = (await effects()).has(`${hold.thread_id}/${hold.call_id}`)
    return happened ? { verdict: 'respond', value: 'It happened.' } : { verdict: 'approve' }
  }

  #byRest(hold: Json, said: object, key: string): Promise<Json> {
    return this.ask(`/v1/holds/${hold.id}/decisions`, said, { 'idempotency-key': key })
  }

  async #byMcp(hold: Json, said: object, decision_id: string): Promise<Json> {
    const args = { hold_id: hold.id, decision_id, ...said }
    const { body, headers } = modernRequest('tools/call', { name: 'decide_hold', arguments: args })
    const { result } = await this.ask('/mcp', body, headers)
    const answer = JSON.parse(result.content[0].text)
    return answer.error ? { ...answer.error, winner: answer.error.details?.winner } : answer
  }

  #note({ id }: Json, { outcome, decision, code, winner }: Json): void {
    if (outcome === 'recorded' || outcome === 'duplicate') {
      this.acknowledged.set(id, decision)
      this.told.set(id, decision)
    } else if (code === 'already_decided') this.told.set(id, winner)
    else this.oddities.push(`${this.person.name} was told ${code ?? outcome} of ${id}`)
  }

  /** Until a server answers. */
  async ask(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
    for (;;) {
      const answer = await this.#askOnce(path, body, headers)
      if (answer !== null) return answer
      await delay(this.#random.between(20, 100))
    }
  }

  /** `null` if no server answered, or this caller asks too often. */
  async #askOnce(path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Json> {
    try {
      const response = await fetch(`${await this.#fleet.url()}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${this.person.token}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs()),
      })
      const text = await response.text()
      if (response.status >= 500) this.oddities.push(`${path}: ${response.status} ${text}`)
      return response.status === 429 ? null : JSON.parse(text)
    } catch {
      return null
    }
  }
}
