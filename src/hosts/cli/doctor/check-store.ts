/** The store, its rights and its disk. Nothing is made, opened or repaired. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import { inspectStore } from '../../compose/inspect-store.ts'
import { isStoreThere } from '../../project/store-url.ts'
import { checkDatabase } from './check-database.ts'
import { checkIntegrity, type Integrity } from './check-integrity.ts'
import { checkOpenings } from './check-project.ts'
import { type Finding, fail, failure, ok, warn } from './finding.ts'

/** Reads all of a file within `seconds`, or reports that it took longer. */
export async function checkStore(url: string, directory: string, seconds: number): Promise<Finding[]> {
  const { file, scheme, display } = new StoreLocation(url)
  if (scheme === 'memory')
    return [warn('store', `${display} ends with each process`, 'Name a file, so that runs last.')]
  if (scheme.startsWith('postgres')) return checkDatabase(url, display)
  if (file === null)
    return [fail('store', `${display} names no store`, 'Use sqlite:PATH or postgres://…, or leave --store out.')]
  const path = resolve(directory, file)
  if (!isStoreThere(url, directory)) return [notYet(path), checkDisk(path)]
  return [await checkFile(path, seconds), ...(await checkClock(path)), checkRights(path), checkDisk(path)]
}

function notYet(path: string): Finding {
  const above = nearestDirectory(path)
  try {
    accessSync(above, constants.W_OK | constants.X_OK)
    return ok('store', `not there yet; the first run makes ${path}`)
  } catch (thrown) {
    return fail(
      'store',
      `${path} cannot be made: ${messageOf(thrown)}`,
      `Make ${above} writable, or name another store.`,
    )
  }
}

/** `checkFile` reports a file that cannot be read. */
async function checkClock(path: string): Promise<Finding[]> {
  const { openings } = await inspectStore(path, { deep: false }).catch(() => ({ openings: [] }))
  return checkOpenings(openings)
}

const MEGABYTE = 1_000_000

async function checkFile(path: string, seconds: number): Promise<Finding> {
  try {
    const { isOurs, schema, newest, moved } = await inspectStore(path, { deep: false })
    if (!isOurs) return fail('store', `${path} belongs to another program`, 'Name another file with --store.')
    if (schema > newest)
      return fail('store', `${path} has schema ${schema}, and this Holdpoint knows ${newest}`, 'Use a newer Holdpoint.')
    const integrity = await checkIntegrity(path, seconds)
    if (moved && isSound(integrity)) return warn('store', moved.message, moved.hint)
    const older = schema < newest ? `, which the next run takes to ${newest}` : ''
    return readThrough(path, integrity, `${path}, ${sizeText(statSync(path).size)}, schema ${schema}${older}`)
  } catch (thrown) {
    return failure('store', thrown)
  }
}

function isSound(integrity: Integrity | null): boolean {
  return integrity === null || ('damage' in integrity && integrity.damage.length === 0)
}

function readThrough(path: string, integrity: Integrity | null, about: string): Finding {
  if (integrity === null)
    return warn('store', `${about}, not read through: it takes longer`, 'Give it more time with --timeout SECONDS.')
  if ('failed' in integrity) return integrity.failed
  if (integrity.damage.length === 0) return ok('store', `${about}, no damage`)
  return fail('store', `${path} is damaged: ${integrity.damage.join('; ')}`, RESTORE)
}

const RESTORE = 'Stop what uses it, keep a copy of it with its -wal, and restore it from a backup.'

/** Holds and journals are for their owner alone. */
const OTHERS = 0o077

function checkRights(path: string): Finding {
  const directory = dirname(path)
  const own = basename(directory) === '.holdpoint' ? [directory] : []
  const all = [...own, ...['', '-wal', '-shm'].map(suffix => path + suffix)].filter(each => existsSync(each))
  const open = all.filter(each => (statSync(each).mode & OTHERS) !== 0)
  if (open.length === 0) return ok('rights', 'the store is for its owner alone')
  return warn(
    'rights',
    `others may use ${open.join(', ')}`,
    `Run \`chmod go= ${open.join(' ')}\`. The next run does it too, if the file system knows rights.`,
  )
}

const SCARCE = 500 * MEGABYTE
const NONE_LEFT = 20 * MEGABYTE
const PRUNE = 'Make room; `holdpoint prune --older-than 90d` deletes old sessions.'
const MAKE_ROOM =
  'Make room: move or delete other files, as nothing can be decided or run without it. All can still be looked at, as by `holdpoint holds`. Then `holdpoint prune --older-than 90d` deletes old sessions.'

function checkDisk(path: string): Finding {
  const directory = nearestDirectory(path)
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize
  const message = `${sizeText(free)} free in ${directory}`
  if (free < NONE_LEFT) return fail('disk', message, MAKE_ROOM)
  return free < SCARCE ? warn('disk', message, PRUNE) : ok('disk', message)
}

function nearestDirectory(path: string): string {
  const above = dirname(path)
  return existsSync(above) || above === path ? above : nearestDirectory(above)
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const

function sizeText(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 1), UNITS.length)
  return `${(bytes / 1000 ** power).toPrecision(3)} ${UNITS[power - 1]}`
}
