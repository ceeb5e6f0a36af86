/**
 * The verbs of the face, one row each. Routes, the client, and the faces of processes within agents are made from it. A
 * new verb does not compile until its row names the role that may use it, and how its caller signs.
 */
import type { Role } from '../../core/people/role.ts'
import type { Holdpoint } from './holdpoint.ts'

/** The parts of the face that have verbs of their own. */
export const FACE_PARTS: readonly Part[] = ['grants', 'audit', 'bundles', 'tokens', 'tasks', 'agents']
type Part = 'grants' | 'audit' | 'bundles' | 'tokens' | 'tasks' | 'agents'
type VerbsOf<Face> = {
  [Name in keyof Face & string]: Face[Name] extends (...given: never) => unknown ? Name : never
}[keyof Face & string]

/** Verbs that a server has because its clients read no journal. */
type ServedVerb = 'me' | 'timeline' | 'runAt' | 'changes' | 'agents.definitions'
export type VerbName = VerbsOf<Holdpoint> | { [P in Part]: `${P}.${VerbsOf<Holdpoint[P]>}` }[Part] | ServedVerb

export interface Verb {
  /** The method and path at a server. A verb without one is for programs that have the store. */
  readonly at?: `${'GET' | 'POST' | 'DELETE'} /v1/${string}`
  /** The least role of a caller of the server. */
  readonly role?: Role
  /** How its caller signs; `null`: nothing is signed. */
  readonly signs: Signature | null
  /** The field with the idempotency key. */
  readonly key?: 'decision_id' | 'startId' | 'inputId'
  /** P1: the verb decides, or lets a person or an agent do more. */
  readonly decides?: true
}

/** The object that its caller signs. */
export interface Signature {
  /** Position of the signature among the arguments. */
  readonly argument: 0 | 1
  /** The argument is a list, and each item is signed. */
  readonly each?: true
  /** The field of the argument that is signed. Default: the argument itself. */
  readonly field?: 'asker' | 'starter'
  /** The field of the name. */
  readonly as: 'by' | 'decided_by' | 'author' | 'to' | 'actor' | 'name'
  /** True if the groups that were proven of the caller count. */
  readonly groups?: true
}

const BY: Signature = { argument: 1, as: 'by' }
const MEMBER: Signature = { ...BY, groups: true }
const DECIDER: Signature = { argument: 1, as: 'decided_by' }
const EACH: Signature = { argument: 0, each: true, as: 'decided_by' }
const AUTHOR: Signature = { argument: 1, as: 'author' }
const ASKER: Signature = { ...BY, field: 'asker' }
const STARTER: Signature = { ...BY, field: 'starter' }

// biome-ignore format: the table is the documentation
export const VERBS: Readonly<Record<VerbName, Verb>> = {
  hold:                 { at: 'GET /v1/holds/:id', role: 'viewer', signs: null },
  holds:                { at: 'GET /v1/holds', role: 'viewer', signs: null },
  holdInContext:        { at: 'GET /v1/holds/:id', role: 'viewer', signs: { argument: 1, as: 'name' } },
  decide:               { at: 'POST /v1/holds/:id/decisions', role: 'decider', signs: DECIDER, key: 'decision_id', decides: true },
  decideMany:           { at: 'POST /v1/decisions', role: 'decider', signs: EACH, decides: true },
  answer:               { at: 'POST /v1/holds/:id/answer', role: 'decider', signs: DECIDER, key: 'decision_id', decides: true },
  assign:               { at: 'POST /v1/holds/:id/assign', role: 'decider', signs: BY, decides: true },
  stopStarted:          { at: 'POST /v1/holds/:id/stop', role: 'decider', signs: MEMBER },
  waitForStarted:       { signs: null },
  objections:           { signs: EACH },
  expireHolds:          { signs: null },
  nextDue:              { signs: null },

  start:                { at: 'POST /v1/threads', role: 'operator', signs: { argument: 0, as: 'author' }, key: 'startId' },
  advance:              { signs: BY },
  cancel:               { at: 'POST /v1/runs/:id/cancel', role: 'operator', signs: BY },
  release:              { at: 'POST /v1/runs/:id/release', role: 'operator', signs: BY, decides: true },
  run:                  { at: 'GET /v1/runs/:id', role: 'viewer', signs: null },
  runOutline:           { signs: null },
  runs:                 { at: 'GET /v1/runs', role: 'viewer', signs: null },
  runTree:              { at: 'GET /v1/runs', role: 'viewer', signs: null },
  runPaths:             { signs: null },
  timeline:             { at: 'GET /v1/runs/:id/timeline', role: 'viewer', signs: null },
  viewAt:               { signs: null },
  runAt:                { at: 'GET /v1/checkpoints/:id', role: 'viewer', signs: null },
  checkPending:         { signs: null },
  work:                 { signs: null },

  send:                 { at: 'POST /v1/threads/:id/messages', role: 'operator', signs: AUTHOR, key: 'inputId' },
  compact:              { at: 'POST /v1/threads/:id/compact', role: 'operator', signs: BY },
  follow:               { at: 'GET /v1/threads/:id/events', role: 'viewer', signs: null },
  messages:             { at: 'GET /v1/threads/:id/messages', role: 'viewer', signs: null },
  search:               { at: 'GET /v1/search', role: 'viewer', signs: null },
  thread:               { at: 'GET /v1/threads/:id', role: 'viewer', signs: null },
  view:                 { signs: null },
  journal:              { signs: null },
  newestSeq:            { signs: null },
  checkpoints:          { at: 'GET /v1/threads/:id/checkpoints', role: 'viewer', signs: null },
  checkpoint:           { signs: null },
  fork:                 { signs: null },
  changes:              { at: 'GET /v1/changes', role: 'viewer', signs: null },
  prune:                { signs: { argument: 0, as: 'by' }, decides: true },
  watch:                { signs: null },
  me:                   { at: 'GET /v1/me', role: 'viewer', signs: null },

  'grants.list':        { at: 'GET /v1/grants', role: 'viewer', signs: null },
  'grants.suggest':     { at: 'GET /v1/grants/suggestions', role: 'operator', signs: null },
  'grants.add':         { at: 'POST /v1/grants', role: 'operator', signs: MEMBER, decides: true },
  'grants.revoke':      { at: 'DELETE /v1/grants/:id', role: 'operator', signs: BY, decides: true },

  'audit.list':         { at: 'GET /v1/audit', role: 'viewer', signs: null },
  'audit.follow':       { signs: null },
  'audit.head':         { at: 'GET /v1/audit/head', role: 'viewer', signs: null },
  'audit.verify':       { signs: null },
  'audit.shown':        { at: 'POST /v1/holds/:id/shown', role: 'viewer', signs: { argument: 1, as: 'to' } },
  'audit.turnedAway':   { signs: { argument: 0, as: 'actor' } },
  'audit.report':       { at: 'GET /v1/report', role: 'viewer', signs: null },
  'audit.replay':       { at: 'POST /v1/report/replay', role: 'viewer', signs: null },
  'audit.explain':      { at: 'GET /v1/runs/:id/explanation', role: 'viewer', signs: null },

  'bundles.export':     { signs: BY, decides: true },
  'bundles.import':     { signs: BY, decides: true },
  'bundles.exported':   { signs: null },

  'tokens.add':         { signs: BY, decides: true },
  'tokens.list':        { signs: null },
  'tokens.revoke':      { signs: BY, decides: true },
  'tokens.identify':    { signs: null },

  'tasks.startCommand': { signs: BY },
  'tasks.startAgent':   { signs: BY },
  'tasks.details':      { at: 'GET /v1/tasks/:id', role: 'viewer', signs: BY },
  'tasks.output':       { at: 'GET /v1/tasks/:id/output', role: 'viewer', signs: null },
  'tasks.invocation':   { at: 'GET /v1/tasks/:id/invocations/:n', role: 'viewer', signs: null },
  'tasks.list':         { at: 'GET /v1/tasks', role: 'viewer', signs: null },
  'tasks.wait':         { signs: ASKER },
  'tasks.cancel':       { at: 'POST /v1/tasks/:id/cancel', role: 'operator', signs: BY },
  'tasks.resume':       { at: 'POST /v1/tasks/:id/resume', role: 'operator', signs: ASKER },
  'tasks.goOn':         { at: 'POST /v1/tasks/:id/resume', role: 'operator', signs: BY },

  'agents.spawn':       { at: 'POST /v1/agents', role: 'operator', signs: BY, key: 'startId' },
  'agents.spawned':     { signs: BY },
  'agents.list':        { at: 'GET /v1/agents', role: 'viewer', signs: null },
  'agents.definitions': { at: 'GET /v1/definitions', role: 'viewer', signs: null },
  'agents.find':        { at: 'GET /v1/agents/:id', role: 'viewer', signs: null },
  'agents.send':        { at: 'POST /v1/agents/:id/messages', role: 'operator', signs: AUTHOR, key: 'inputId' },
  'agents.end':         { at: 'POST /v1/agents/:id/end', role: 'operator', signs: BY },
  'agents.kill':        { at: 'DELETE /v1/agents/:id', role: 'operator', signs: BY },
  'agents.wait':        { signs: ASKER },
  'agents.respawn':     { at: 'POST /v1/agents/:id/respawn', role: 'operator', signs: BY },
  'agents.fork':        { at: 'POST /v1/agents/:id/fork', role: 'operator', signs: STARTER },
  'agents.remove':      { at: 'POST /v1/agents/:id/remove', role: 'operator', signs: BY },
  'agents.follow':      { at: 'GET /v1/agents/:id/events', role: 'viewer', signs: null },
  'agents.changes':     { at: 'GET /v1/changes', role: 'viewer', signs: null },
}
