import { type DatabaseExamination, type ExaminedStore, examineDatabase } from '../../compose/inspect-store.ts'
import { systemClock } from '../../process/system-clock.ts'
import { checkOpenings } from './check-project.ts'
import { type Finding, fail, failure, ok, warn } from './finding.ts'

/** A store in PostgreSQL. Nothing is made or migrated. */
export async function checkDatabase(url: string, display: string): Promise<Finding[]> {
  try {
    const examination = await examineDatabase(url)
    const about = [
      checkVersions(examination, display),
      checkRights(examination),
      checkChanges(examination),
      checkClock(examination),
      ...checkStep(examination),
    ]
    return examination.store === null
      ? about
      : [...about, checkProtection(examination.store), checkAudit(examination.store)]
  } catch (thrown) {
    return [failure('store', thrown)]
  }
}

/** `docs/postgres.md` promises that nothing newer is used. */
const OLDEST_SERVER = 140_000

function checkVersions({ server, serverNumber, store, newest }: DatabaseExamination, display: string): Finding {
  const about = `${display}, PostgreSQL ${server}`
  if (serverNumber < OLDEST_SERVER)
    return fail('store', `${about} is too old`, 'Use PostgreSQL 14 or newer, or name another store.')
  if (store === null) return ok('store', `${about}: not there yet; the first run makes it`)
  const { schema } = store
  if (schema === null) return fail('store', `${about}: this user cannot read it`, 'See the rights below.')
  if (schema > newest)
    return fail('store', `${about} has schema ${schema}, and this Holdpoint knows ${newest}`, 'Use a newer Holdpoint.')
  if (store.moved) return warn('store', store.moved.message, store.moved.hint)
  return ok('store', `${about}, schema ${schema}${schema < newest ? `, which the next run takes to ${newest}` : ''}`)
}

function checkRights(examination: DatabaseExamination): Finding {
  const { user, store, isReplica, onlyReads } = examination
  if (store && store.unreadable.length > 0)
    return fail('rights', `${user} may not read ${namesOf(store.unreadable)}`, 'Use the user that owns the tables.')
  if (store && store.hidden.length > 0)
    return fail(
      'rights',
      `row level security hides the rows from ${user}`,
      'Use the user that owns the tables, one that is a member of it, or one with BYPASSRLS.',
    )
  if (isReplica)
    return warn('rights', 'this is a replica: looking works, and nothing else', 'Name the primary database.')
  if (onlyReads)
    return warn('rights', `${user} may only read: looking works, and nothing else`, 'Use another user to work.')
  return checkWriting(examination)
}

function checkWriting({ user, store, mayMake, newest, schemaName }: DatabaseExamination): Finding {
  const owner = 'Use the user that owns the tables, or ask it to open the store once.'
  if (store === null)
    return mayMake
      ? ok('rights', `${user} may make the schema ${schemaName}`)
      : fail('rights', `${user} may not make the schema ${schemaName}`, schemaHint(schemaName, user))
  if (store.unwritable.length > 0)
    return warn('rights', `${user} may not write ${namesOf(store.unwritable)}: looking works`, owner)
  if (store.notOwned.length === 0) return ok('rights', `${user} owns the tables`)
  const isOlder = store.schema !== null && store.schema < newest
  if (isOlder) return fail('rights', `${user} does not own the tables, so it cannot migrate them`, owner)
  return ok('rights', `${user} may read and write the tables; their owner alone migrates them`)
}

function schemaHint(schema: string, user: string): string {
  return `As an administrator: CREATE SCHEMA "${schema}" AUTHORIZATION "${user}".`
}

const MOST_NAMED = 3

function namesOf(tables: readonly string[]): string {
  const more = tables.length - MOST_NAMED
  return `${tables.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more tables` : ''}`
}

function checkChanges({ hearsNotices }: DatabaseExamination): Finding {
  if (hearsNotices) return ok('changes', 'what other hosts write is heard at once')
  return warn(
    'changes',
    'no notice arrives, as on a replica or through a pooler in transaction mode: processes look every 250 ms',
    'Connect to the primary database itself, or to the pooler in session mode.',
  )
}

/** Deadlines are the database's; people see them by their own clock. */
const MOST_AHEAD_MS = 5_000

function checkClock({ clockAheadMs }: DatabaseExamination): Finding {
  const seconds = (Math.abs(clockAheadMs) / 1000).toFixed(1)
  const says = `the clock of the database is ${seconds} s ${clockAheadMs < 0 ? 'behind' : 'ahead of'} this host's`
  if (Math.abs(clockAheadMs) < MOST_AHEAD_MS) return ok('clock', says)
  return warn('clock', says, 'Set both by a time server. Deadlines follow the database.')
}

function checkStep({ store, clockAheadMs }: DatabaseExamination): Finding[] {
  return checkOpenings(store?.openings ?? [], systemClock.now() + clockAheadMs)
}

function checkProtection({ unprotected }: ExaminedStore): Finding {
  if (unprotected.length === 0) return ok('protection', 'row level security is on for each table')
  return warn(
    'protection',
    `row level security is off for ${namesOf(unprotected)}`,
    'Turn it on with ALTER TABLE … ENABLE ROW LEVEL SECURITY, so that a data interface shows nothing of it.',
  )
}

/** Any process that reads or writes gives them their places. */
const MOST_PENDING_MS = 60_000

function checkAudit({ pending }: ExaminedStore): Finding {
  if (pending === null) return warn('audit', 'this user cannot read the records that wait', 'See the rights above.')
  const { count, oldestMs } = pending
  if (count === 0) return ok('audit', 'each record of the audit log has its place')
  const says = `${count} ${count === 1 ? 'record waits' : 'records wait'} for a place in the audit log`
  if (oldestMs < MOST_PENDING_MS) return ok('audit', says)
  return warn(
    'audit',
    `${says}, the oldest for ${Math.round(oldestMs / 1000)} s`,
    'Run `holdpoint audit` as a user that may write, which gives them their places; then `holdpoint audit verify`.',
  )
}
