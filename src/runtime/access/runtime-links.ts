/**
 * Links of messages, each good for one decision.
 * L1  A look changes nothing: scanners and previews fetch links.
 * L2  The decision has the id of its link, so of two uses one is recorded (P2). The link is marked after it: if the process
 *     dies between the two, a second use finds the decision and records nothing.
 */

import type { Receipt } from '../../core/deciding/receipt.ts'
import { unknownHold } from '../../core/deciding/unknown-hold.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { objectionToLink, usedLink } from '../../core/notice/objection-to-link.ts'
import { DAY_SECONDS } from '../../core/people/due.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Principal } from '../../ports/identity.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Link } from '../../ports/store/people/links.ts'
import type { Store } from '../../ports/store/store.ts'
import type { Holds } from '../face/holds.ts'
import type { LinkDecision, Links, LinkTarget, LinkWish } from '../face/links.ts'
import { recordRefusals } from '../holds/record-refusals.ts'

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

  async decide(secret: string, decision: LinkDecision, reader: string | null): Promise<Receipt> {
    const { link, hold } = await this.#known(secret)
    const refusal = this.#objection(link, hold, reader)
    const by = reader ?? link.person
    if (refusal) return this.#refused({ hold, error: refusal }, by, decision)
    const receipt = await this.#decided(link, hold, decision)
    if (receipt.outcome !== 'recorded' && receipt.outcome !== 'duplicate') return receipt
    if (await this.#runtime.store.links.use(link.digest)) return receipt
    return this.#refused({ hold: receipt.hold, error: usedLink(hold, receipt.decision) }, by, decision)
  }

  async #decided(link: Link, hold: Hold, { text, ...decision }: LinkDecision): Promise<Receipt> {
    const by = { decided_by: link.person, surface: SURFACE, decision_id: decisionIdOf(link) }
    if (decision.verdict !== 'respond') return this.#holds.decide(hold.id, { ...decision, ...by })
    const { digest } = decision
    // A text alone decides no such hold, but here its person chose what it means.
    if (hold.kind === 'in_doubt') return this.#holds.decide(hold.id, { ...decision, ...by, value: text ?? '' })
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
    if (!link || !hold) throw holdRefusals.unknownLink()
    return { link, hold }
  }

  #objection(link: Link, hold: Hold, reader: string | null): ReturnType<typeof objectionToLink> {
    if (reader !== null && reader !== link.person) return holdRefusals.linkOfAnother(link.person, reader)
    return objectionToLink(link, hold, { now: this.#runtime.clock.now(), earlier: decisionBy(link, hold) })
  }
}

/** The id reveals nothing of the secret. */
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

/** The parts of a runtime by which links are made. */
interface LinkMaking {
  readonly store: Pick<Store, 'links'>
  readonly ids: Pick<Ids, 'secret' | 'digest'>
  readonly clock: Pick<Clock, 'now'>
}

/** How long a link lives if its hold has no deadline. */
const USUAL_MS = 30 * DAY_SECONDS * 1000

/** Resolves to the secret of a new link. The secret is given only here: the store keeps its digest. */
export async function makeLink(
  { store, ids, clock }: LinkMaking,
  { hold, person, channel }: LinkWish,
): Promise<string> {
  const secret = ids.secret()
  const { id: hold_id, level, assignee, due_at } = hold
  const expires_at = due_at ?? new Date(clock.now() + USUAL_MS).toISOString()
  await store.links.add([{ digest: ids.digest(secret), hold_id, person, channel, level, assignee, expires_at }])
  return secret
}
