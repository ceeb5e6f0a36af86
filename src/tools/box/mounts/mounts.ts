/** The table of mounts of a box, as options of bubblewrap. What is not in it is not there. */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { PROTECTED } from '../../read-command/files/links-to-records.ts'
import type { BoxSettings } from '../machine/box-settings.ts'
import { type Hidden, hiddenAt, hiddenKeys, isWithin } from './hidden.ts'
import { kernelFiles } from './kernel-files.ts'

export interface BoxRoom {
  readonly workdir: string
  /** Where the directory is mounted from: itself, or the view of an overlay. */
  readonly source: string
  /** The PATH of the command. */
  readonly path: string
  readonly space: { readonly tmp: string; readonly home: string; readonly closedFile: string }
  readonly settings: BoxSettings
  /** Caches, each with the view of its overlay. */
  readonly caches: readonly { readonly path: string; readonly source: string }[]
  readonly hidden: readonly Hidden[]
  /** True if the command has the network of the machine. */
  readonly hasNetwork: boolean
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix'] as const

export function mountTable(room: BoxRoom): readonly string[] {
  const { workdir, source, space, caches } = room
  const home = realHome()
  const around = aroundOf(workdir)
  const tools = [...toolchains(room, home), ...pathPlaces(room, home), ...around]
  const seen = [...SYSTEM.filter(existsSync), ...tools, ...caches.map(({ path }) => path), workdir]
  const hidden = [...room.hidden, ...hiddenKeys(room.settings.keys, home), ...around.flatMap(recordsIn)]
  const closed = visibleIn(seen, hidden)
  return [
    ...SYSTEM.flatMap(systemMount),
    ...[
      '--proc',
      '/proc',
      ...kernelFiles(space.closedFile),
      '--dev',
      '/dev',
      '--size',
      SHARED_MEMORY,
      '--tmpfs',
      '/dev/shm',
    ],
    ...['--size', SHARED_MEMORY, '--tmpfs', '/run', '--bind', space.tmp, '/tmp', '--dir', '/var/tmp'],
    ...(room.hasNetwork ? resolver() : []),
    ...['--bind', space.tmp, '/var/tmp', '--bind', space.home, home, ...linkTo(home)],
    ...tools.flatMap(path => ['--ro-bind', path, path]),
    ...caches.flatMap(each => ['--bind', each.source, each.path]),
    ...['--bind', source, workdir],
    ...outermost(closed).flatMap(each => coverOf(each, space.closedFile)),
    ...['--chdir', workdir],
  ]
}

/** Bytes of the memory that a command takes by files. */
const SHARED_MEMORY = String(1024 ** 3)

/** The home as the kernel names it: the one in the environment may lead there by links. */
export function realHome(): string {
  try {
    return realpathSync(homedir())
  } catch {
    return homedir()
  }
}

function linkTo(home: string): readonly string[] {
  return home === homedir() ? [] : ['--symlink', home, homedir()]
}

/** Where each hidden thing is seen in the box: a place may be mounted under a name that leads elsewhere outside. */
function visibleIn(seen: readonly string[], hidden: readonly Hidden[]): readonly Hidden[] {
  const places = seen.map(path => ({ path, real: realpathSync(path) }))
  return hidden.flatMap(({ path, kind }) =>
    places
      .filter(({ real }) => isWithin(path, real))
      .map(place => ({ path: join(place.path, relative(place.real, path)), kind })),
  )
}

/** A link of the system, such as `/bin`, is made anew. */
function systemMount(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** Names are looked up by a file that may lie in a directory of the running system. */
function resolver(): readonly string[] {
  try {
    const real = realpathSync('/etc/resolv.conf')
    return isWithin(real, '/run') ? ['--ro-bind', real, real] : []
  } catch {
    return []
  }
}

function toolchains({ settings }: BoxRoom, home: string): readonly string[] {
  return settings.home.map(path => resolve(home, path)).filter(existsSync)
}

/** The directories of programs that PATH names, with what lies beside them. */
function pathPlaces({ path, workdir }: BoxRoom, home: string): readonly string[] {
  const places = path.split(':').filter(each => each.startsWith('/') && existsSync(each))
  const outside = places.filter(each => ![...SYSTEM, workdir].some(known => isWithin(each, known)))
  return [...new Set([...outside, dirname(process.execPath)].map(each => placeOf(realpathSync(each), home)))]
    .filter(each => !isWithin(workdir, each) && ![...SYSTEM, workdir].some(known => isWithin(each, known)))
    .filter(each => !isWithin(home, each) && !OF_THE_MACHINE.some(known => isWithin(each, known)) && each !== '/tmp')
}

/** No programs are expected there, but sockets and other processes. */
const OF_THE_MACHINE = ['/proc', '/run', '/sys', '/dev', '/var/run'] as const

/** Programs in `bin` have their libraries beside it. */
function placeOf(directory: string, home: string): string {
  const above = dirname(directory)
  const isAlone = dirname(above) === '/' || above === '/' || isWithin(home, above)
  return /^\.?s?bin$/.test(basename(directory)) && !isAlone ? above : directory
}

/** The repository in which the directory lies, if it is not its root; and the one to which a work tree belongs. */
function aroundOf(workdir: string): readonly string[] {
  for (let at = workdir; ; at = dirname(at)) {
    const git = join(at, '.git')
    if (existsSync(git)) return [...(at === workdir ? [] : [at]), ...commonOf(git, at)]
    if (dirname(at) === at) return []
  }
}

function commonOf(git: string, at: string): readonly string[] {
  try {
    if (lstatSync(git).isDirectory()) return []
    const own = resolve(at, /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] ?? '.')
    const common = resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim())
    return isWithin(common, at) ? [] : [common]
  } catch {
    return []
  }
}

function recordsIn(directory: string): readonly Hidden[] {
  return hiddenAt(join(directory, PROTECTED))
}

/** What lies in a covered directory is covered. */
function outermost(closed: readonly Hidden[]): readonly Hidden[] {
  const places = new Map(closed.map(each => [each.path, each]))
  return [...places.values()].filter(
    ({ path }) => ![...places.values()].some(other => other.path !== path && isWithin(path, other.path)),
  )
}

function coverOf({ path, kind }: Hidden, closedFile: string): readonly string[] {
  if (kind === 'file') return ['--ro-bind', closedFile, path]
  // Git takes a closed directory for one that it cannot read, and not for one that was deleted.
  return ['--perms', basename(path) === PROTECTED ? '0555' : '0000', '--tmpfs', path, '--remount-ro', path]
}
