/**
 * Preloaded into a process (`node --import`): names each durable write that it makes, and kills it right before or right
 * after the one that CRASH_AT tells: `before:3` by number, `after:claim` by name (the first of that name),
 * `after:claim#2` the second. `stop:claim` tells it to stop instead, as SIGTERM does, in the very moment after the write. With CRASH_POINTS the names are appended to that file, one in a line. Nothing of the
 * production code knows of it.
 *
 * A write is one transaction of the store, named by what it does and the kinds of events that it adds, or one change of
 * a file in `.holdpoint`.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const [, side, at] = /^(before|after|stop):(.+)$/.exec(process.env.CRASH_AT ?? '') ?? []
const told = process.env.CRASH_POINTS
/** How often each name came. */
const times = new Map()
const { all, run } = StatementSync.prototype
const { exec } = DatabaseSync.prototype
const { appendFileSync, existsSync } = fs
let points = 0
let isOver = false

function durable(name, write) {
  points += 1
  const nth = (times.get(name) ?? 0) + 1
  times.set(name, nth)
  const isHere = !isOver && [String(points), name, `${name}#${nth}`].includes(at)
  if (told) appendFileSync(told, `${name}\n`)
  if (isHere && side === 'before') process.kill(process.pid, 'SIGKILL')
  const result = write()
  if (isHere && side === 'after') process.kill(process.pid, 'SIGKILL')
  if (isHere && side === 'stop') process.emit('SIGTERM', 'SIGTERM')
  isOver ||= isHere
  return result
}

/** What a statement stands for in the name of its transaction; anything unknown shows up as it is written. */
const MEANINGS = [
  [/^INSERT INTO events /, (seen, parameters) => seen.kinds.add(parameters[4])],
  [/^INSERT INTO runs /, seen => seen.verbs.add('start')],
  [/^INSERT INTO (threads|holds|audit_head) /, () => {}],
  [/^INSERT INTO audit /, (seen, parameters) => seen.records.add(JSON.parse(parameters[1]).kind)],
  [/^INSERT INTO grants /, seen => seen.kinds.add('a grant')],
  [/^UPDATE grants SET uses /, seen => seen.kinds.add('a use of a grant')],
  [/^UPDATE holds SET status = \?, decision = \?, votes = \?/, seen => seen.verbs.add('decide')],
  [/^UPDATE holds SET status = \?, decision = \?, assignee = \?/, seen => seen.verbs.add('amend')],
  [/^UPDATE holds SET status = 'withdrawn'/, () => {}],
  [/^UPDATE runs SET lease_owner = \?/, seen => seen.verbs.add('claim')],
  [/^UPDATE runs SET lease_owner = NULL, lease_until = NULL, updated_at = \?/, seen => seen.verbs.add('release')],
  [/^UPDATE runs SET lease_owner = NULL, lease_until = NULL/, seen => seen.verbs.add('reclaim')],
  [/^UPDATE runs SET lease_until = \?/, seen => seen.verbs.add('renew')],
  [/^UPDATE runs SET status = coalesce/, noteRelease],
  [/^UPDATE runs SET status = 'running'/, () => {}],
  [/^INSERT INTO tasks /, seen => (seen.verbs.has('start') ? seen.kinds.add('a task') : noteTask(seen, ['new']))],
  [/^UPDATE tasks SET status = /, noteTask],
  [/^(INSERT INTO|UPDATE) task_invocations /, () => {}],
  [/^INSERT INTO exports /, seen => seen.verbs.add('export')],
  [/^INSERT INTO imports /, seen => seen.verbs.add('import')],
  [/^UPDATE holds SET status = 'exported'/, () => {}],
  [/^UPDATE runs SET (agent = \?|status = CASE)/, () => {}],
  [/^UPDATE threads SET audited_after/, () => {}],
  [/^INSERT INTO places /, () => {}],
  [/^(INSERT INTO|UPDATE) cursors /, seen => seen.verbs.add('enqueue')],
  [/^INSERT INTO notices /, seen => seen.kinds.add('a notice')],
  [/^UPDATE notices SET stale = true/, seen => seen.kinds.add('messages to change')],
  [/^UPDATE notices SET tries = tries \+ 1/, noteClaim],
  [/^UPDATE notices SET status = \?3/, noteMark],
  [/^INSERT INTO presences /, seen => seen.verbs.add('arrive')],
  [/^UPDATE presences /, seen => seen.verbs.add('presence')],
  [/^DELETE FROM presences /, seen => seen.verbs.add('leave')],
  [/^(INSERT INTO daemon |UPDATE daemon SET process = )/, seen => seen.verbs.add('take the daemon')],
  [/^UPDATE daemon /, seen => seen.verbs.add('ask the daemon')],
  [/^DELETE FROM daemon /, seen => seen.verbs.add('leave the daemon')],
  [/^INSERT INTO links /, seen => seen.kinds.add('a link')],
  [/^DELETE FROM (threads|tasks) /, seen => seen.verbs.add('prune')],
  [/^DELETE FROM (grants|holds|events|runs|task_invocations|exports) /, () => {}],
]

/** Of what a transaction does, the first of these gives its name. */
const VERBS = [
  ...['migrate', 'import', 'export', 'start', 'claim', 'renew', 'decide', 'amend', 'prune', 'task', 'enqueue', 'mark'],
  ...['reclaim', 'arrive', 'presence', 'leave', 'take the daemon', 'ask the daemon', 'leave the daemon'],
]

let seen = nothing()
let isInTransaction = false

function nothing() {
  return { verbs: new Set(), kinds: new Set(), records: new Set(), unknown: [], wrote: false }
}

function noteRelease({ verbs }, parameters) {
  if (parameters[4] === 1) verbs.add('release')
}

function noteTask({ verbs, kinds }, parameters) {
  verbs.add('task')
  kinds.add(parameters[0])
}

function noteClaim({ verbs, kinds }) {
  verbs.add('claim')
  kinds.add('a notice')
}

function noteMark({ verbs, kinds }, parameters) {
  verbs.add('mark')
  kinds.add(parameters[2])
}

function note(text, parameters) {
  seen.wrote = true
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(text)) ?? []
  if (meaning) meaning(seen, parameters)
  else seen.unknown.push(text.slice(0, 60))
}

function nameOf({ verbs, kinds, records, unknown }) {
  const all = [...unknown, ...kinds].join(', ')
  const isReleased = verbs.has('release')
  if (all === '' && isReleased) return 'release'
  // What goes on record by itself; else a record goes with its event, or with what is deleted.
  if (all === '' && verbs.size === 0 && records.size > 0) return `record(${[...records].join(', ')})`
  const isRequest = kinds.has('message.queued') || kinds.has('cancel.requested')
  const verb = VERBS.find(each => verbs.has(each)) ?? (isRequest ? 'request' : 'append')
  return `${verb}${all === '' ? '' : `(${all})`}${isReleased ? ' and release' : ''}`
}

StatementSync.prototype.run = function (...parameters) {
  const text = this.sourceSQL.trim().replace(/\s+/g, ' ')
  const act = () => run.apply(this, parameters)
  if (text === 'COMMIT') {
    isInTransaction = false
    return seen.wrote ? durable(nameOf(seen), act) : act()
  }
  if (/^BEGIN/.test(text) || text === 'ROLLBACK') {
    isInTransaction = text !== 'ROLLBACK'
    seen = nothing()
    return act()
  }
  if (!isInTransaction) return durable(`alone: ${text}`, act)
  const result = act()
  // After a SELECT, the count is still that of the write before it.
  if (result.changes > 0 && !text.startsWith('SELECT ')) note(text, parameters)
  return result
}

/** A write that returns its rows. */
StatementSync.prototype.all = function (...parameters) {
  const rows = all.apply(this, parameters)
  const text = this.sourceSQL.trim().replace(/\s+/g, ' ')
  if (isInTransaction && rows.length > 0 && /^(INSERT|UPDATE|DELETE) /.test(text)) note(text, parameters)
  return rows
}

DatabaseSync.prototype.exec = function (sql) {
  if (/^\s*(CREATE|DROP|ALTER)/.test(sql)) {
    seen.verbs.add('migrate')
    seen.wrote = true
  }
  return exec.call(this, sql)
}

/** Files of a project that people and programs look into. */
function watchFile(method, isWrite) {
  const original = fs[method]
  fs[method] = (path, ...rest) => {
    const target = String(method === 'renameSync' ? rest[0] : path)
    const act = () => original(path, ...rest)
    if (!target.includes('/.holdpoint/') || !isWrite(target)) return act()
    const name = target.replace(/^.*\/\.holdpoint\//, '').replace(/run_[^./]+/, 'RUN')
    return durable(`${method.replace('Sync', '')} ${name}`, act)
  }
}

watchFile('renameSync', () => true)
watchFile('writeFileSync', () => true)
watchFile('rmSync', existsSync)
syncBuiltinESMExports()
