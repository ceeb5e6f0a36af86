/** What simulated lives had in them. */
import type { EventData, EventKind } from '../../src/core/journal/event.ts'
import { type Run, runStatus } from '../../src/core/journal/thread.ts'
import type { Observer } from './observer.ts'
import type { ThreadWatch } from './thread-watch.ts'

/** What is told apart beside the kind of an event. */
const MORE: { readonly [K in EventKind]?: (data: EventData[K]) => string } = {
  'run.finished': ({ termination }) => `end: ${termination.type}${'code' in termination ? ` ${termination.code}` : ''}`,
  'hold.opened': ({ kind, because }) => `hold: ${kind}, ${because.replace(/[:{].*/, '')}`,
  'hold.decided': ({ decision }) => `verdict: ${decision.verdict}${decision.grant ? ' for good' : ''}`,
  'hold.reminded': ({ number }) => `reminder ${number}`,
  'hold.escalated': ({ level }) => `level ${level}`,
  'hold.expired': ({ on_due }) => `nobody: ${on_due}`,
  'call.gated': ({ grant_id, approval_id }) => passedBy(grant_id, approval_id),
  'message.queued': ({ supersede, interrupt }) => (interrupt ? 'interrupting' : supersede ? 'superseded' : ''),
  'call.finished': ({ status, error }) => `call: ${status} ${error?.code ?? ''}`.trim(),
  note: ({ about }) => `note: ${about}`,
}

function passedBy(grant_id: string | null, approval_id: string | null): string {
  if (approval_id !== null) return 'let pass by an approval in words'
  return grant_id === null ? 'let pass by policy' : 'let pass by a grant'
}

export class Coverage {
  readonly counts: Map<string, number> = new Map()
  /** States of runs, without what is in them. */
  readonly shapes: Set<string> = new Set()
  /** Which process had its turn where, in which order. */
  interleaving = 0
  readonly #seen = new Map<string, number>()

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  step(life: string, place: string): void {
    this.count('turns')
    for (const character of `${life} ${place}`)
      this.interleaving = (Math.imul(this.interleaving ^ character.charCodeAt(0), 0x01000193) + 1) | 0
  }

  /** What is new in a journal. */
  see({ events, thread }: ThreadWatch, trace: string[]): void {
    const from = this.#seen.get(thread.id) ?? 0
    this.#seen.set(thread.id, events.length)
    for (const event of events.slice(from)) {
      this.count(event.kind)
      const more = (MORE[event.kind] as ((data: unknown) => string) | undefined)?.(event.data)
      if (more) this.count(more)
      trace.push(`    ${thread.id.slice(-2)} ${event.seq} ${event.kind} ${JSON.stringify(event.data).slice(0, 160)}`)
    }
    if (thread.run && events.length > from) this.shapes.add(shapeOf(thread.run))
  }

  takeIn({ counts }: Observer): void {
    for (const [what, times] of counts) this.count(what, times)
  }

  add(other: Coverage): void {
    for (const [what, times] of other.counts) this.count(what, times)
    for (const shape of other.shapes) this.shapes.add(shape)
  }
}

function shapeOf(run: Run): string {
  const calls = [...(run.step?.calls.values() ?? [])].map(({ status, attempt }) => `${status}${attempt}`)
  const holds = [...run.holds.values()].map(
    ({ kind, decision, withdrawn }) => `${kind} ${decision?.verdict} ${withdrawn}`,
  )
  const flags = [run.cancel !== null, run.ending?.type, run.concluding, run.queue.map(said => said.supersede)]
  return [runStatus(run), calls.join(), holds.toSorted().join(), flags.join()].join(' | ')
}
