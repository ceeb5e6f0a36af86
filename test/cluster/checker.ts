/**
 * The independent check of a cluster: it imports nothing of the product, and knows only what the tool wrote outside the
 * store, the export of the audit log, and what clients were told. Each rule is a promise, and names it.
 */
import { createHash } from 'node:crypto'

/** One line of the effects file: the tool ran, for this call of this thread, within this run. */
export interface Effect {
  readonly thread: string
  readonly call: string
  /** `g…` needs a person's approval, `f…` does not. */
  readonly label: string
}

/** What a server or a command said to a client. */
export type Told =
  | { readonly kind: 'started'; readonly run: string }
  | { readonly kind: 'decided'; readonly hold: string; readonly actor: string; readonly verdict: string }

export interface Evidence {
  /** Lines of `thread/call label`. */
  readonly effects: string
  /** Of `holdpoint audit --json`. */
  readonly audit: string
  readonly told: readonly Told[]
}

interface AuditLine {
  readonly seq: number
  readonly kind: string
  readonly thread_id: string
  readonly run_id: string
  readonly hold_id: string | null
  readonly call_id: string | null
  readonly actor: string | null
  readonly event_seq: number | null
  readonly data: Readonly<Record<string, string | number | null>>
}

/** All that is wrong, as sentences; empty if every promise was kept. */
export function faultsIn({ effects, audit, told }: Evidence): string[] {
  const { lines, faults } = chainOf(audit)
  const log = new Log(lines)
  const happened = effectsIn(effects)
  return [
    ...faults,
    ...lostRuns(log, told),
    ...lostDecisions(log, told),
    ...disorder(lines),
    ...log.runs.flatMap(run => faultsOfRun(run, log)),
    ...log.holds.flatMap(faultsOfHold),
    ...log.calls.flatMap(call => faultsOfCall(call, happened)),
    ...unknownEffects(happened, log),
  ]
}

const START = '0'.repeat(64)
const LINE = /^(.*),"hash":"([0-9a-f]{64})"\}$/

/** P10: each record's hash is over its text and the hash before it. */
function chainOf(audit: string): { lines: AuditLine[]; faults: string[] } {
  const lines: AuditLine[] = []
  const faults: string[] = []
  let before = START
  for (const [at, text] of audit.split('\n').filter(Boolean).entries()) {
    const [, open, hash] = LINE.exec(text) ?? []
    if (open === undefined || hash === undefined) {
      faults.push(`P10: line ${at + 1} of the audit log is no record`)
      continue
    }
    const line = JSON.parse(`${open}}`) as AuditLine
    if (line.seq !== at + 1) faults.push(`P10: record ${line.seq} stands in place ${at + 1}`)
    if (sha256(`${before}\n${open}}`) !== hash) faults.push(`P10: the hash of record ${line.seq} does not fit`)
    before = hash
    lines.push(line)
  }
  return { lines, faults }
}

/** The hash of a record, from the one before: 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The log by run, by hold and by call, each in the order of the log. */
class Log {
  readonly #byRun: ReadonlyMap<string, readonly AuditLine[]>
  readonly #byHold: ReadonlyMap<string, readonly AuditLine[]>
  readonly #byCall: ReadonlyMap<string, readonly AuditLine[]>

  constructor(lines: readonly AuditLine[]) {
    const by = (keyOf: (line: AuditLine) => string | null) => {
      const known = lines.filter(line => keyOf(line) !== null)
      return Map.groupBy(known, line => keyOf(line) ?? '')
    }
    this.#byRun = by(({ run_id }) => run_id)
    this.#byHold = by(({ hold_id }) => hold_id)
    this.#byCall = by(({ thread_id, call_id }) => call_id && `${thread_id}/${call_id}`)
  }

  get runs(): (readonly AuditLine[])[] {
    return [...this.#byRun.values()]
  }

  get holds(): (readonly AuditLine[])[] {
    return [...this.#byHold.values()]
  }

  get calls(): (readonly [key: string, lines: readonly AuditLine[]])[] {
    return [...this.#byCall]
  }

  run(id: string): readonly AuditLine[] {
    return this.#byRun.get(id) ?? []
  }

  hold(id: string): readonly AuditLine[] {
    return this.#byHold.get(id) ?? []
  }

  call(key: string): readonly AuditLine[] {
    return this.#byCall.get(key) ?? []
  }
}

/** P4: what was acknowledged is there. */
function lostRuns(log: Log, told: readonly Told[]): string[] {
  return told.flatMap(each =>
    each.kind === 'started' && log.run(each.run).length === 0
      ? [`P4: ${each.run} was acknowledged, and is not on record`]
      : [],
  )
}

/** P2: a decision that somebody was told is recorded is the one on record. */
function lostDecisions(log: Log, told: readonly Told[]): string[] {
  return told.flatMap(each => {
    if (each.kind !== 'decided') return []
    const kept = log.hold(each.hold).find(({ kind }) => kind === 'hold.decided')
    if (kept?.actor === each.actor && kept.data['verdict'] === each.verdict) return []
    const instead = kept ? `${kept.data['verdict']} of ${kept.actor} is` : 'nothing is'
    return [`P2: ${each.actor} was told that ${each.verdict} of ${each.hold} is recorded, and ${instead}`]
  })
}

/** The records of one journal stand in its order, each once. */
function disorder(lines: readonly AuditLine[]): string[] {
  const newest = new Map<string, number>()
  return lines.flatMap(({ seq, thread_id, event_seq }) => {
    if (event_seq === null) return []
    const before = newest.get(thread_id) ?? 0
    newest.set(thread_id, event_seq)
    return event_seq > before ? [] : [`P10: record ${seq} tells of event ${event_seq} of ${thread_id} after ${before}`]
  })
}

/** P4: each run begins once and ends once, and after that nothing happens in it. */
function faultsOfRun(lines: readonly AuditLine[], log: Log): string[] {
  const id = lines[0]?.run_id ?? ''
  const begun = lines.filter(({ kind }) => kind === 'run.started').length
  const ended = lines.filter(({ kind }) => kind === 'run.finished')
  const late = lines.slice(lines.findIndex(({ kind }) => kind === 'run.finished') + 1)
  const open = lines.filter(({ kind, hold_id }) => kind === 'hold.opened' && !log.hold(hold_id ?? '').some(isEnd))
  return [
    ...(begun === 1 ? [] : [`P4: ${id} began ${begun} times`]),
    ...(ended.length === 1 ? [] : [`P4: ${id} ended ${ended.length} times`]),
    ...(ended[0]?.data['outcome'] === 'completed' || ended.length === 0
      ? []
      : [`P4: ${id} ended as ${ended[0]?.data['outcome']}`]),
    ...(ended.length > 0 ? late.filter(isWork).map(({ kind }) => `P4: ${kind} came after the end of ${id}`) : []),
    ...open.map(({ hold_id }) => `P4: ${hold_id} is still open, and ${id} is to be at its end`),
  ]
}

function isWork({ kind }: AuditLine): boolean {
  return kind.startsWith('call.') || kind === 'hold.opened' || kind === 'hold.decided'
}

function isEnd({ kind }: AuditLine): boolean {
  return kind === 'hold.decided' || kind === 'hold.expired' || kind === 'hold.withdrawn'
}

/** P2: opened once, decided once, in that order, by somebody, as it was shown. */
function faultsOfHold(lines: readonly AuditLine[]): string[] {
  const id = lines[0]?.hold_id ?? ''
  const opened = lines.filter(({ kind }) => kind === 'hold.opened')
  const decided = lines.filter(({ kind }) => kind === 'hold.decided')
  const ends = lines.filter(isEnd)
  const [first] = opened
  const [decision] = decided
  return [
    ...(opened.length === 1 ? [] : [`P2: ${id} was opened ${opened.length} times`]),
    ...(ends.length > 1 ? [`P2: ${id} was decided ${ends.length} times`] : []),
    ...(decided.some(({ actor }) => !actor) ? [`P10: nobody decided ${id}`] : []),
    ...(first && decision && decision.seq < first.seq ? [`P2: ${id} was decided before it was opened`] : []),
    ...(first && decision && releasesAnother(decision, first)
      ? [`P1: ${id} was decided as another request than was asked`]
      : []),
  ]
}

/** The digest is of what a decision lets pass: a no and an answer to a question may have none. */
function releasesAnother({ data: { verdict, digest } }: AuditLine, { data: asked }: AuditLine): boolean {
  return (digest !== null || verdict === 'approve') && digest !== asked['digest']
}

/** P1 and P3: a call that needs a person runs as approved, and each runs once, unless a person had it run again. */
function faultsOfCall(
  [key, lines]: readonly [string, readonly AuditLine[]],
  effects: ReadonlyMap<string, readonly Effect[]>,
): string[] {
  const here = effects.get(key) ?? []
  const begun = lines.filter(({ kind }) => kind === 'call.started')
  const finished = lines.filter(({ kind }) => kind === 'call.finished')
  return [
    ...repeated(key, lines, { began: begun.length, happened: here.length, finished: finished.length }),
    ...(idle(lines, here) && isEffect(key) ? [`P3: ${key} succeeded, and did nothing`] : []),
    ...(finished[0] && begun[0] && finished[0].seq < begun[0].seq ? [`P3: ${key} finished before it began`] : []),
    ...(begun.length > 0 && finished.length === 0 ? [`P4: ${key} was begun, and has no end`] : []),
    ...unapproved(key, lines, here),
  ]
}

/** Once, and once more for each time that a person had a call in doubt run again. */
function repeated(key: string, lines: readonly AuditLine[], counts: Readonly<Record<string, number>>): string[] {
  const allowed = 1 + doubted(lines).filter(({ data }) => data['verdict'] === 'approve').length
  return Object.entries(counts).flatMap(([what, count]) =>
    count > allowed ? [`P3: ${key} ${what} ${count} times, and may have ${allowed} times`] : [],
  )
}

/** It is on record as a success, and no person said so in its place. */
function idle(lines: readonly AuditLine[], effects: readonly Effect[]): boolean {
  const succeeded = lines.some(({ kind, data }) => kind === 'call.finished' && data['status'] === 'succeeded')
  return succeeded && effects.length === 0 && !doubted(lines).some(({ data }) => data['verdict'] === 'respond')
}

/** Calls of the tool that leaves a line are named `c…`. */
function isEffect(key: string): boolean {
  return key.includes('/c')
}

function doubted(lines: readonly AuditLine[]): AuditLine[] {
  const ids = new Set(
    lines
      .filter(({ kind, data }) => kind === 'hold.opened' && data['kind'] === 'in_doubt')
      .map(({ hold_id }) => hold_id),
  )
  return lines.filter(({ kind, hold_id }) => kind === 'hold.decided' && ids.has(hold_id))
}

function unapproved(key: string, lines: readonly AuditLine[], effects: readonly Effect[]): string[] {
  const asked = new Set(
    lines
      .filter(({ kind, data }) => kind === 'hold.opened' && data['kind'] === 'approval')
      .map(({ hold_id }) => hold_id),
  )
  const said = lines.filter(({ kind, hold_id }) => kind === 'hold.decided' && asked.has(hold_id))
  const begun = lines.find(({ kind }) => kind === 'call.started')
  const isGated = asked.size > 0 || effects.some(({ label }) => label.startsWith('g'))
  if (!isGated) return []
  const approval = said.find(({ data }) => data['verdict'] === 'approve')
  if (!approval) return begun || effects.length > 0 ? [`P1: ${key} ran, and nobody approved it`] : []
  if (!begun) return [`P4: ${key} was approved, and never ran`]
  return [
    ...(begun.seq < approval.seq ? [`P1: ${key} ran before it was approved`] : []),
    ...(begun.data['digest'] === approval.data['digest'] ? [] : [`P1: ${key} ran as another call than was approved`]),
  ]
}

/** P5: nothing runs that is not on record. */
function unknownEffects(effects: ReadonlyMap<string, readonly Effect[]>, log: Log): string[] {
  return [...effects.keys()].flatMap(key =>
    log.call(key).some(({ kind }) => kind === 'call.started') ? [] : [`P5: ${key} happened, and is not on record`],
  )
}

function effectsIn(text: string): Map<string, Effect[]> {
  const effects = text
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [key = '', label = ''] = line.split(' ')
      const [thread = '', call = ''] = key.split('/')
      return { thread, call, label }
    })
  return Map.groupBy(effects, ({ thread, call }) => `${thread}/${call}`)
}
