/**
 * A record of the audit log as a sentence. The log itself has ids and digests, so the title of what was asked and the end
 * of the call are read from the journal beside it.
 */
import type { CallOutcome } from '../run/outcome/call-outcome.ts'
import type { AuditKind, AuditRecord } from './audit.ts'
import { deedOf } from './record-words.ts'

/** The matter of a record, as far as it is known beside the log. */
export interface RecordMatter {
  readonly agent: string | null
  /** The act or the question of its hold, or the tool of its call. */
  readonly title: string | null
  /** What a decision led to; `null` for other records, and if it led to no call. */
  readonly result: Pick<ToldRecord, 'text' | 'tone'> | null
  /** The exit of the program that the call ran; `null` if it ran none. */
  readonly outcome: CallOutcome | null
}

export interface ToldRecord {
  readonly text: string
  /** How what it led to reads at a glance. */
  readonly tone: 'good' | 'bad' | 'plain'
  readonly agent: string | null
}

export const UNKNOWN_MATTER: RecordMatter = { agent: null, title: null, result: null, outcome: null }

/** `ana approved “Run git push” for deployer; it failed after 2 s with exit 1`. */
export function tellRecord(record: AuditRecord, matter: RecordMatter): ToldRecord {
  const { kind, data } = record
  const { agent, title, result, outcome } = matter
  const { did, more = '' } = deedOf(kind, data)
  const named = title === null ? '' : ` “${title}”`
  const whose = agent === null ? '' : ` for ${agent}`
  const after = [more === '' ? '' : `: ${more}`, result === null ? '' : `; ${inSentence(result.text)}`].join('')
  const text = FORMS[kind]?.({ record, did, named, agent }) ?? usual(record, did, agent)
  const isDecision = DECISIONS.has(kind)
  const failed =
    (kind === 'call.finished' && outcome?.failed === true) || data['status'] === 'failed' || kind === 'decision.refused'
  return {
    text: `${text}${isDecision ? whose : ''}${after}`,
    tone: result?.tone ?? (failed ? 'bad' : 'plain'),
    agent,
  }
}

/** Decisions of people and of deadlines. */
export const DECISIONS: ReadonlySet<AuditKind> = new Set(['hold.decided', 'hold.voted', 'hold.expired'])

interface Parts extends Pick<RecordMatter, 'agent'> {
  readonly record: AuditRecord
  readonly did: string
  /** ` “title”`, or empty. */
  readonly named: string
}

const decision = ({ record, did, named }: Parts) => `${whoIn(record.actor)} ${did}${named || ' a hold'}`

const ofCall = ({ did, named, agent }: Parts) =>
  `${agent ?? 'An agent'}: ${named === '' ? did : did.replace(/^call/, named.trim())}`

/** Kinds whose records are about a hold or a call by name; the others tell who did what. */
const FORMS: Readonly<Partial<Record<AuditKind, (parts: Parts) => string>>> = {
  'hold.decided': decision,
  'hold.voted': decision,
  'hold.expired': ({ did, named }) => `The deadline of${named || ' a hold'} passed: ${did.replace('overdue: ', '')}`,
  'hold.opened': ({ record, named, agent }) =>
    `${agent ?? 'An agent'} ${ASKS[String(record.data['kind'])] ?? 'asked'}${named}`,
  'hold.shown': ({ record, named, did }) => `${whoIn(record.actor)} ${named === '' ? did : did.replace(/ it$/, named)}`,
  'call.started': ofCall,
  'call.finished': ofCall,
  'run.started': ({ record, did }) => (record.actor === null ? did : `${whoIn(record.actor)}: ${did}`),
}

const ASKS: Readonly<Record<string, string>> = {
  approval: 'asks whether it may do',
  question: 'asks',
  input: 'waits for the next message',
  client_tool: 'waits for a program to do',
  in_doubt: 'does not know whether this happened:',
}

function usual({ actor }: AuditRecord, did: string, agent: string | null): string {
  if (actor !== null) return `${whoIn(actor)} ${did}`
  return agent === null ? did : `${agent}: ${did}`
}

/** An agent by its name: its run is an id beside it. */
function whoIn(actor: string | null): string {
  return actor?.replace(/^(agent:[^/]+)\/run_\w+$/, '$1') ?? 'Somebody'
}

function inSentence(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')
}
