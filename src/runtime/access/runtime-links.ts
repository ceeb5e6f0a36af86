/**
 * Links of messages, each good for one decision.
 * L1  A look changes nothing: scanners and previews fetch links.
 * L2  The decision has the id of its link, so of two uses one is recorded (P2). The link is marked after it: if the process
 *     dies between the two, a second use finds the decision and records nothing.
 */
import type { Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { unknownHold } from '../../core/hold/unknown-hold.ts'
import { linkOfAnother, objectionToLink, unknownLink, usedLink } from '../../core/notice/objection-to-link.ts'
import type { Principal } from '../../ports/identity.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Link } from '../../ports/store/people/links.ts'
import type { Store } from '../../ports/store/store.ts'
import type { Holds } from '../face/holds.ts'
import type { LinkDecision, Links, LinkTarget, LinkWish } from '../face/links.ts'
import { recordRefusals } from '../holds/record-refusals.ts'
import { makeLink } from './make-link.ts'

/** The surface of decisions that came by a link. */
const SURFACE = 'link'

interface Refusal {
  readonly hold: Hold
  readonly error: RefusedError
}

interface LinkDeps {
  readonly runtime: Pick<Runtime, 'ids' | 'clock'> & { readonly store: Pick<Store, 'links' | 'hold' | 'record'> }
  readonly holds: Pick<Holds, 'holdInContext' | 'decide' | 'answer'>
}

export class RuntimeLinks implements Links {
  readonly #runtime: LinkDeps['runtime']
  readonly #holds: LinkDeps['holds']

  constructor({ runtime, holds }: LinkDeps) {
    this.#runtime = runtime
    this.#holds = holds
  }

  async make(wish: LinkWish): Promise<string> {
    return makeLink(this.#runtime, wish)
  }

  async look(secret: string, reader: string | null): Promise<LinkTarget> {
    const { link, hold } = await this.#known(secret)
    const { person } = link
    const refusal = this.#objection(link, hold, reader)
    if (refusal) return { person, hold: null, refusal }
    const view = await this.#holds.holdInContext(hold.id, principalOf(person))
    return view ? { person, hold: view, refusal: null } : { person, hold: null, refusal: unknownHold(hold.id) }
  }

  async decide(secret: string, said: LinkDecision, reader: string | null): Promise<Receipt> {
    const { link, hold } = await this.#known(secret)
    const refusal = this.#objection(link, hold, reader)
    const by = reader ?? link.person
    if (refusal) return this.#refused({ hold, error: refusal }, by, said)
    const receipt = await this.#decided(link, hold, said)
    if (receipt.outcome !== 'recorded' && receipt.outcome !== 'duplicate') return receipt
    if (await this.#runtime.store.links.use(link.digest)) return receipt
    return this.#refused({ hold: receipt.hold, error: usedLink(hold, receipt.decision) }, by, said)
  }

  async #decided(link: Link, hold: Hold, { text, ...said }: LinkDecision): Promise<Receipt> {
    const by = { decided_by: link.person, surface: SURFACE, decision_id: decisionIdOf(link) }
    if (said.verdict !== 'respond') return this.#holds.decide(hold.id, { ...said, ...by })
    const { digest } = said
    // A text alone decides no such hold, but here its person chose what it means.
    if (hold.kind === 'in_doubt') return this.#holds.decide(hold.id, { ...said, ...by, value: text ?? '' })
    return this.#holds.answer(hold.id, { text: text ?? '', ...by, ...(digest !== undefined && { digest }) })
  }

  async #refused(why: Refusal, decided_by: string, { verdict }: LinkDecision): Promise<Receipt> {
    const receipt = { outcome: 'refused', ...why } as const
    const tried = { hold_id: why.hold.id, verdict, decided_by, surface: SURFACE }
    await recordRefusals(this.#runtime, [tried], [receipt])
    return receipt
  }

  async #known(secret: string): Promise<{ readonly link: Link; readonly hold: Hold }> {
    const { store, ids } = this.#runtime
    const link = await store.links.find(ids.digest(secret))
    const hold = link && (await store.hold(link.hold_id))
    if (!link || !hold) throw unknownLink()
    return { link, hold }
  }

  #objection(link: Link, hold: Hold, reader: string | null): ReturnType<typeof objectionToLink> {
    if (reader !== null && reader !== link.person) return linkOfAnother(link.person, reader)
    return objectionToLink(link, hold, { now: this.#runtime.clock.now(), earlier: decisionBy(link, hold) })
  }
}

/** It tells nothing of the secret. */
function decisionIdOf({ digest }: Link): string {
  return `link_${digest.slice('sha256:'.length, 39)}`
}

function decisionBy(link: Link, { decision, votes }: Hold): Decision | null {
  const id = decisionIdOf(link)
  return [decision, ...votes].find(each => each?.decision_id === id) ?? null
}

/** The deciders of the hold say whether its person may decide. */
function principalOf(name: string): Principal {
  return { name, kind: 'person', groups: [], proven: 'signature', rights: { see: true, decide: true } }
}
